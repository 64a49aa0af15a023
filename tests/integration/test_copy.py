"""What a copy takes along and what it leaves behind: selection, names, objects, the report."""
from harness import data, oracle, wherry
from harness.framework import ALL_PAIRS, check, test, wait_until

_MIXED_DIALECTS = [
    "CREATE DATABASE shared CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
    "CREATE TABLE shared.t (id INT PRIMARY KEY, u BIGINT UNSIGNED, f FLOAT, d DOUBLE,"
    " n DECIMAL(30,10), v VARCHAR(40), l LONGTEXT, b VARBINARY(20), e ENUM('a','b'),"
    " s SET('x','y','z'), ts TIMESTAMP(6) NULL, dt DATETIME(3), tm TIME(1), y YEAR, bits BIT(20),"
    " j JSON, g POINT, c CHAR(9) CHARACTER SET latin1)",
    "INSERT INTO shared.t VALUES (-1, 18446744073709551615, 1394.375, 0.1e0+0.2e0, -0.0000000001,"
    " 'größe', REPEAT('l', 70000), x'0000ff', 'b', 'x,z', '2024-01-02 03:04:05.678901',"
    " '1000-01-01 00:00:00.001', '-838:59:59.0', 1901, 1048575, '{\"a\": [1, 2.5, null]}',"
    " ST_GeomFromText('POINT(1.5 -2)'), 'é')",
    "INSERT INTO shared.t (id) VALUES (0)",
    "CREATE TABLE shared.k (a VARCHAR(20) NOT NULL, b INT NOT NULL, v INT, PRIMARY KEY (a, b),"
    " UNIQUE KEY (v))",
    "INSERT INTO shared.k VALUES ('a',1,1),('B',1,2),('',0,NULL),('ü',-1,NULL)",
]


@test(dialects=ALL_PAIRS)
def test_every_pair_of_dialects(t):
    source, target = t.pair()
    source.execute(*_MIXED_DIALECTS)
    run = wherry.start_streaming(t, source, target)
    source.execute(
        "UPDATE shared.t SET f=0.1, ts='2030-01-01 00:00:00', j='[]', s='' WHERE id=-1",
        "INSERT INTO shared.t SELECT id+100, u, f, d, n, v, l, b, e, s, ts, dt, tm, y,"
        " bits, j, g, c FROM shared.t",
        "DELETE FROM shared.t WHERE id=0",
        "UPDATE shared.k SET b=b+1, a=UPPER(a)",
        "DELETE FROM shared.k WHERE v=2",
    )
    code = run.cutover()
    check(code == wherry.EXIT_DONE, run.tail)
    oracle.require_equal(source, target)


@test()
def test_include_and_exclude(t):
    source, target = t.pair()
    data.shop(source)
    source.execute(
        "CREATE DATABASE other",
        "CREATE TABLE other.t (id INT PRIMARY KEY)",
        "INSERT INTO other.t VALUES (1)",
    )
    run = wherry.start_streaming(t, source, target, "--include", "shop.*", "--exclude", "*.wor?s")
    source.execute(
        "INSERT INTO other.t VALUES (2)",
        "INSERT INTO shop.words VALUES ('new', 1)",
        "UPDATE shop.orders SET note='live'",
        "INSERT INTO shop.customers (name) VALUES ('L')",
    )
    check(run.cutover() == 0, run.tail)
    check("other" not in target.user_databases(), "an unselected database was copied")
    oracle.require_equal(source, target, databases=["shop"], ignore=("shop.words",))
    check(not target.rows("SHOW TABLES FROM shop LIKE 'words'"), "an excluded table was copied")


@test()
def test_rename(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(
        t, source, target, "--rename", "shop=store", "--rename", "shop.words=dict.entries"
    )
    source.execute(
        "INSERT INTO shop.words VALUES ('new', 9)",
        "UPDATE shop.orders SET total=total+1",
        "DELETE FROM shop.customers WHERE name='Bo'",
    )
    check(run.cutover() == 0, run.tail)
    check("shop" not in target.user_databases(), "the old name is at the target")
    oracle.require_equal(
        source,
        target,
        databases=["shop"],
        target_databases=["store", "dict"],
        rename={"shop": "store", ("shop", "words"): ("dict", "entries")},
    )


@test()
def test_existing_tables_are_used(t):
    source, target = t.pair()
    data.shop(source)
    data.shop(target)
    target.execute(
        "DELETE FROM shop.customers", "DELETE FROM shop.orders", "DELETE FROM shop.words"
    )
    wherry.copy(t, source, target, "--existing", "use")
    oracle.require_equal(source, target)


@test()
def test_existing_table_with_another_shape(t):
    """A column more at the target, with a default, is told and kept."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)"
    )
    target.execute(
        "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, extra INT NOT NULL DEFAULT 7)"
    )
    run = wherry.start_copy(t, source, target, "--existing", "use", api=False, cutover="auto")
    code = run.wait()
    check("extra" in run.err, lambda: "the difference in shape is not told\n" + run.tail())
    if code == wherry.EXIT_DONE:
        check(target.rows("SELECT id, extra FROM d.t") == [(1, 7)])
    else:
        check(code == wherry.EXIT_REFUSED, run.tail)


_OBJECTS = [
    "USE shop",
    "CREATE TABLE audit (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(40))",
    "CREATE VIEW rich AS SELECT id, name FROM customers WHERE score > 1",
    "CREATE VIEW richer AS SELECT id FROM rich",
    "CREATE TRIGGER noted AFTER INSERT ON customers FOR EACH ROW INSERT INTO audit (what) VALUES"
    " (CONCAT('new ', NEW.id))",
    "CREATE FUNCTION twice(n INT) RETURNS INT DETERMINISTIC RETURN n * 2",
    "CREATE PROCEDURE clean(IN old INT) COMMENT 'tidy; up' BEGIN DELETE FROM audit WHERE id < old;"
    " SELECT 1; END",
    "CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO DELETE FROM audit",
]


@test()
def test_stored_objects(t):
    source, target = t.pair()
    data.shop(source)
    source.execute(*_OBJECTS)
    run = wherry.start_streaming(t, source, target, "--with", "views,triggers,routines,events")
    source.execute("INSERT INTO shop.customers (name) VALUES ('triggers a row')")
    check(run.cutover() == 0, run.tail)
    oracle.require_equal(source, target, objects=("view", "trigger", "routine", "event"))
    # The row of the trigger came through the stream, once.
    check(target.value("SELECT COUNT(*) FROM shop.audit") == 1)
    check(
        target.value("SELECT status FROM information_schema.events") != "ENABLED",
        "the target would run the event",
    )


@test()
def test_stored_objects_are_left_out_by_default(t):
    source, target = t.pair()
    data.shop(source)
    source.execute(*_OBJECTS)
    wherry.copy(t, source, target)
    oracle.require_equal(source, target)
    for table in ("views", "triggers", "routines", "events"):
        column = {
            "views": "table_schema",
            "triggers": "trigger_schema",
            "routines": "routine_schema",
            "events": "event_schema",
        }[table]
        check(
            target.value(f"SELECT COUNT(*) FROM information_schema.{table} WHERE {column}='shop'")
            == 0,
            f"{table} were copied",
        )


@test()
def test_auto_increment_is_raised(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    source.execute(
        "INSERT INTO shop.customers (id, name) VALUES (5000, 'last')",
        "DELETE FROM shop.customers WHERE id=5000",
    )
    check(run.cutover() == 0, run.tail)
    target.execute("INSERT INTO shop.customers (name) VALUES ('next')")
    check(target.value("SELECT MAX(id) FROM shop.customers") > 5000, "a number was given twice")


@test()
def test_meta_database(t):
    source, target = t.pair()
    data.shop(source)
    wherry.copy(t, source, target)
    tables = {row[0] for row in target.rows("SHOW TABLES FROM wherry")}
    check({"progress", "lease"} <= tables, f"tables of wherry: {tables}")
    check(sorted(target.user_databases()) == ["shop", "wherry"])
    target.execute("DROP DATABASE shop", "DROP DATABASE wherry")
    wherry.copy(t, source, target, "--drop-meta")
    check(target.user_databases() == ["shop"], "something is left behind")
    target.execute("DROP DATABASE shop")
    wherry.copy(t, source, target, "--meta-database", "odd name")
    check(sorted(target.user_databases()) == ["odd name", "shop"])


@test()
def test_report(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    source.execute("UPDATE shop.words SET n=n+1")
    check(run.cutover() == 0, run.tail)
    report = run.report()
    check(report["state"] == "done" and report["verified"] is True, report)
    check(report["fenced"] is False and any("fence" in w for w in report["warnings"]), report)
    tables = {table["name"]: table for table in report["tables"]}
    check(set(tables) == {"shop.customers", "shop.orders", "shop.words"}, sorted(tables))
    for name, table in tables.items():
        check(table["rows_copied"] == 4 and table["bytes_copied"] > 0, table)
        check(table["rows_verified"] >= 4 and table["differences"] == 0, table)
        check(table["verified"] == "equal", table)
        check(table["changes_applied"] == (4 if name == "shop.words" else 0), table)
    for name in ("start", "stop", "cutover"):
        check(report["positions"][name], f"no position {name}: {report['positions']}")
    check(report["source_generations"] == 1, report)
    check({"copying"} <= set(report["phase_seconds"]), report["phase_seconds"])
    check(any("accounts" in w for w in report["warnings"]), report["warnings"])


@test()
def test_target_binlog_off(t):
    source, target = t.pair()
    data.shop(source)
    query = "SELECT @@gtid_binlog_pos" if t.dialect == "mariadb" else "SELECT @@gtid_executed"
    before = target.value(query)
    wherry.copy(t, source, target, "--target-binlog", "off")
    check(target.value(query) == before, "the target logged the copy")
    oracle.require_equal(source, target)


@test()
def test_indexes_with_and_after(t):
    source, target = t.pair()
    data.numbers(source, rows=3000, tables=2)
    for how in ("after", "with"):
        wherry.copy(t, source, target, "--indexes", how)
        oracle.require_equal(source, target)
        target.execute("DROP DATABASE bulk", "DROP DATABASE wherry")


@test()
def test_empty_source_and_empty_tables(t):
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "CREATE DATABASE vacant"
    )
    wherry.copy(t, source, target)
    oracle.require_equal(source, target)


@test(timeout=180)
def test_many_tables(t):
    """Several hundred tables: the work a table costs must stay small."""
    source, target = t.pair()
    count = 400
    with source.connect() as session, session.cursor() as cursor:
        cursor.execute("CREATE DATABASE many")
        for number in range(count):
            cursor.execute(f"CREATE TABLE many.t{number} (id INT PRIMARY KEY, v INT)")
            cursor.execute(f"INSERT INTO many.t{number} VALUES (1,{number}),(2,0)")
    wherry.copy(t, source, target, timeout=150)
    oracle.require_equal(source, target)


@test()
def test_tables_made_during_the_copy(t):
    """New tables of a selected database come along, and dropped ones go."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    source.execute(
        "CREATE TABLE shop.late (id INT PRIMARY KEY, v INT)",
        "INSERT INTO shop.late VALUES (1,1),(2,2)",
        "DROP TABLE shop.words",
        "ALTER TABLE shop.customers ADD COLUMN born DATE NULL AFTER name",
        "UPDATE shop.customers SET born='2000-01-01' WHERE id=1",
        "TRUNCATE TABLE shop.orders",
        "INSERT INTO shop.orders (customer, no) VALUES (9, 9)",
    )
    check(run.cutover() == 0, run.tail)
    oracle.require_equal(source, target)


@test()
def test_source_is_a_replica(t):
    """The copy reads a replica; writes go to its primary."""
    from harness import nativereplica

    primary, target = t.pair()
    replica = t.server()
    data.shop(primary)
    data.shop(replica)
    nativereplica.attach(t, primary, replica)
    run = wherry.start_streaming(t, replica, target)
    primary.execute("INSERT INTO shop.words VALUES ('via replica', 1)", "DELETE FROM shop.orders")
    nativereplica.wait_caught_up(primary, replica)
    check(run.cutover() == 0, run.tail)
    oracle.require_equal(primary, target)


@test()
def test_long_text_ids_do_not_collide_with_wherry_tables(t):
    """A user table that is called like one of wherry's own, in another database."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.progress (id INT PRIMARY KEY)",
        "CREATE TABLE d.lease (id INT PRIMARY KEY)",
        "INSERT INTO d.progress VALUES (1)",
    )
    wherry.copy(t, source, target)
    oracle.require_equal(source, target)
    wait_until(lambda: target.value("SELECT COUNT(*) FROM d.progress") == 1)


@test()
def test_keys_at_the_edges_one_row_a_chunk(t):
    """Each of these keys is once the last of a chunk: the empty text, zero, the least, bytes of all ones."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE edge",
        "CREATE TABLE edge.bytes (k VARBINARY(8) PRIMARY KEY, v INT)",
        "INSERT INTO edge.bytes VALUES ('', 1), (x'00', 2), (x'0000', 3), (' ', 4), ('a', 5),"
        " ('a ', 6), (x'ff', 7), (x'ffffffffffffffff', 8)",
        "CREATE TABLE edge.texts (k VARCHAR(8) COLLATE utf8mb4_bin PRIMARY KEY, v INT)",
        "INSERT INTO edge.texts VALUES ('', 1), ('A', 2), ('a', 3), (',', 4)",
        "CREATE TABLE edge.numbers (k INT PRIMARY KEY, v INT)",
        "INSERT INTO edge.numbers VALUES (-2147483648, 1), (-1, 2), (0, 3), (1, 4), (2147483647, 5)",
        "CREATE TABLE edge.pairs (a VARBINARY(4), b VARBINARY(4), v INT, PRIMARY KEY (a, b))",
        "INSERT INTO edge.pairs VALUES ('', '', 1), ('', 'x', 2), ('x', '', 3), ('x', 'x', 4)",
    )
    wherry.copy(t, source, target, "--chunk-rows", "1")
    oracle.require_equal(source, target)
