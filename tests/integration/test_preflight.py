"""What must be refused before anything is written, with words that say what to do about it."""
from harness import data, oracle, wherry
from harness.framework import check, test


def _refused_with(run, words):
    check(run.child.returncode == wherry.EXIT_REFUSED, run.tail)
    text = (run.err + run.out).lower()
    for word in words:
        check(word.lower() in text, lambda: f"{word!r} is not said\n{run.tail()}")


def _must_refuse(t, source, target, *options, words, **more):
    """`check` and `copy` end with exit 2, say every word, and leave the target as it is."""
    before = sorted(target.user_databases())
    run = wherry.run(
        t,
        "check",
        "--source",
        more.get("source_uri") or source.source_uri,
        "--target",
        more.get("target_uri") or target.target_uri,
        *options,
    )
    _refused_with(run, words)
    run = wherry.start_copy(t, source, target, *options, api=False, cutover="auto", **more)
    run.wait()
    _refused_with(run, words)
    after = sorted(target.user_databases())
    check(before == after, lambda: f"the target was touched: {after}")
    return run


@test()
def test_binlog_off(t):
    source = t.server(
        options={
            "skip-log-bin": "",
            **(
                {"gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"}
                if t.dialect == "mysql"
                else {}
            ),
        }
    )
    target = t.server()
    data.shop(source)
    _must_refuse(t, source, target, words=["binary log is off", "--log-bin"])


@test()
def test_statement_format(t):
    source, target = t.pair()
    data.shop(source)
    source.execute("SET GLOBAL binlog_format='STATEMENT'")
    _must_refuse(t, source, target, words=["binlog_format"])


@test()
def test_minimal_row_image(t):
    source, target = t.pair()
    data.shop(source)
    source.execute("SET GLOBAL binlog_row_image='MINIMAL'")
    _must_refuse(t, source, target, words=["binlog_row_image"])


@test()
def test_database_with_another_collation(t):
    """The default of a database that is in use at the target: the option that helps is named."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci",
        "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO d.t VALUES (1, 1)",
    )
    target.execute(
        "CREATE DATABASE d CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        "CREATE TABLE d.other (id INT PRIMARY KEY)",
    )
    mapping = "utf8mb4_unicode_520_ci=utf8mb4_unicode_ci"
    _must_refuse(t, source, target, words=["ALTER DATABASE", f"--map-collation {mapping}"])
    wherry.copy(t, source, target, "--map-collation", mapping)
    check(target.value("SELECT v FROM d.t") == 1, "the row is missing")


@test()
def test_source_privileges(t):
    source, target = t.pair()
    data.shop(source)
    source.execute(
        "CREATE USER poor@'%' IDENTIFIED BY 'poor-pw-81'", "GRANT SELECT ON shop.* TO poor@'%'"
    )
    uri = source.uri("poor", "poor-pw-81")
    _must_refuse(t, source, target, source_uri=uri, words=["GRANT", "REPLICATION SLAVE", "poor"])
    source.execute(
        "GRANT REPLICATION SLAVE ON *.* TO poor@'%'",
        "REVOKE SELECT ON shop.* FROM poor@'%'",
        "GRANT SELECT ON shop.words TO poor@'%'",
    )
    run = wherry.start_copy(
        t, source, target, "--include", "shop.*", api=False, cutover="auto", source_uri=uri
    )
    code = run.wait()
    check(code != wherry.EXIT_DONE or "shop.orders" in run.err, run.tail)


@test()
def test_least_source_privileges(t):
    """SELECT and the replication rights are enough for tables with keys."""
    source, target = t.pair()
    data.shop(source)
    status = "BINLOG MONITOR" if t.dialect == "mariadb" else "REPLICATION CLIENT"
    source.execute(
        "CREATE USER least@'%' IDENTIFIED BY 'least-pw-77'",
        f"GRANT SELECT, REPLICATION SLAVE, {status} ON *.* TO least@'%'",
    )
    wherry.copy(t, source, target, source_uri=source.uri("least", "least-pw-77"))
    oracle.require_equal(source, target)


@test()
def test_target_privileges(t):
    source, target = t.pair()
    data.shop(source)
    target.execute(
        "CREATE USER poor@'%' IDENTIFIED BY 'poor-pw-82'", "GRANT SELECT ON *.* TO poor@'%'"
    )
    _must_refuse(
        t, source, target, target_uri=target.uri("poor", "poor-pw-82"), words=["GRANT", "poor"]
    )


@test()
def test_existing_tables(t):
    source, target = t.pair()
    data.shop(source)
    target.execute("CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT PRIMARY KEY)")
    _must_refuse(t, source, target, words=["shop.orders"])
    check(target.value("SELECT COUNT(*) FROM shop.orders") == 0)


@test()
def test_trigger_on_the_target(t):
    source, target = t.pair()
    data.shop(source)
    data.shop(target)
    target.execute(
        "DELETE FROM shop.customers",
        "DELETE FROM shop.orders",
        "DELETE FROM shop.words",
        "CREATE TRIGGER shop.spoil BEFORE INSERT ON shop.words FOR EACH ROW SET NEW.n=0",
    )
    _must_refuse(t, source, target, "--existing", "use", words=["spoil"])


@test()
def test_target_read_only(t):
    source, target = t.pair()
    data.shop(source)
    target.execute(
        "CREATE USER plain@'%' IDENTIFIED BY 'plain-pw-83'",
        "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES,"
        " TRIGGER, PROCESS, RELOAD ON *.* TO plain@'%'",
        "SET GLOBAL read_only=1",
    )
    _must_refuse(
        t, source, target, target_uri=target.uri("plain", "plain-pw-83"), words=["read_only"]
    )


@test()
def test_target_is_the_source(t):
    source = t.server()
    data.shop(source)
    _must_refuse(t, source, source, words=["it is the source itself"])


@test(dialects=("mariadb",))
def test_lower_case_table_names(t):
    source = t.server()
    target = t.server(options={"lower-case-table-names": "1"})
    data.shop(source)
    source.execute(
        "CREATE TABLE shop.Mixed (id INT PRIMARY KEY)",
        "CREATE TABLE shop.mixed (id INT PRIMARY KEY)",
    )
    _must_refuse(t, source, target, words=["lower_case_table_names"])


@test()
def test_prepared_transactions(t):
    """What was prepared before the start would be lost in silence."""
    source, target = t.pair()
    data.shop(source)
    source.execute(
        "XA START 'left'",
        "INSERT INTO shop.words VALUES ('xa', 1)",
        "XA END 'left'",
        "XA PREPARE 'left'",
    )
    run = wherry.copy(t, source, target, expect=wherry.EXIT_REFUSED)
    check("prepared XA transactions" in run.err, run.tail)
    source.execute("XA COMMIT 'left'")
    wherry.copy(t, source, target)
    oracle.require_equal(source, target)


@test()
def test_engine_without_transactions(t):
    source, target = t.pair()
    data.shop(source)
    source.execute(
        "CREATE TABLE shop.old (id INT PRIMARY KEY) ENGINE=MyISAM",
        "INSERT INTO shop.old VALUES (1)",
    )
    run = wherry.start_copy(t, source, target, api=False, cutover="auto")
    if run.wait() == wherry.EXIT_DONE:
        oracle.require_equal(source, target)
    else:
        check(run.child.returncode == wherry.EXIT_REFUSED and "shop.old" in run.err, run.tail)
        wherry.copy(t, source, target, "--exclude", "shop.old")
        oracle.require_equal(source, target, ignore=("shop.old",))


@test()
def test_table_without_key_is_warned_of(t):
    source, target = t.pair()
    data.shop(source)
    source.execute(
        "CREATE TABLE shop.loose (a INT, b TEXT)",
        "INSERT INTO shop.loose VALUES (1,'x'),(1,'x'),(NULL,NULL)",
    )
    run = wherry.copy(t, source, target)
    check("shop.loose" in run.err, lambda: "no warning names the table\n" + run.tail())
    oracle.require_equal(source, target)


@test()
def test_checks_run_at_every_start(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target, cutover="never")
    run.interrupt()
    source.execute("SET GLOBAL binlog_row_image='MINIMAL'")
    again = wherry.start_copy(t, source, target, "--resume", api=False, cutover="auto")
    again.expect(wherry.EXIT_REFUSED)
    source.execute("SET GLOBAL binlog_row_image='FULL'")
    wherry.copy(t, source, target, "--resume")
    oracle.require_equal(source, target)


@test(dialects=("mariadb",))
def test_system_versioned_tables(t):
    """Their history cannot be brought over: refused by name, and a run stops where one is made."""
    source, target = t.pair()
    data.shop(source)
    source.execute("CREATE TABLE shop.kept (id INT PRIMARY KEY, v INT) WITH SYSTEM VERSIONING")
    _must_refuse(t, source, target, words=["shop.kept", "drop system versioning", "--exclude"])
    source.execute("DROP TABLE shop.kept")
    run = wherry.start_streaming(t, source, target)
    source.execute("ALTER TABLE shop.words ADD SYSTEM VERSIONING")
    run.expect(wherry.EXIT_FAILED)
    check("shop.words became system-versioned" in run.err, run.tail)
