"""Following the binlog through what servers do in practice: rotation, purging, silence, accounts."""
import re
import time

from harness import data, datadirs, oracle, wherry
from harness.framework import check, test, wait_until


def _finish(t, source, target, run, **compare):
    check(run.cutover() == wherry.EXIT_DONE, run.tail)
    oracle.require_equal(source, target, **compare)


@test()
def test_resume_with_nothing_new(t):
    """Stopped when all is applied, started at the very last position, and only then a new row."""
    source, target = t.pair()
    data.shop(source)
    for _ in range(3):
        resume = ["--resume"] if "wherry" in target.user_databases() else []
        run = wherry.start_streaming(t, source, target, *resume, cutover="never")
        time.sleep(0.3)
        run.interrupt()
    run = wherry.start_streaming(t, source, target, "--resume")
    source.execute("INSERT INTO shop.words VALUES ('after', 1)")
    _finish(t, source, target, run)


def _progress(target, **changes):
    """Changes columns of every lane's row, as a hand or another run would."""
    for column, value in changes.items():
        with target.connect() as session, session.cursor() as cursor:
            cursor.execute(f"UPDATE wherry.progress SET {column}=%s WHERE kind='lane'", (value,))


def _newest_lane(target):
    return target.rows(
        "SELECT low_cseq, low_gtid, last_gtid FROM wherry.progress WHERE kind='lane'"
        " ORDER BY low_cseq DESC LIMIT 1"
    )[0]


def _refused_resume(t, source, target, *words):
    run = wherry.start_copy(t, source, target, "--resume", cutover="auto", api=False)
    run.expect(wherry.EXIT_REFUSED)
    for word in words:
        check(word in run.err, lambda: f"{word!r} is not said\n{run.tail()}")


def _interrupted(t, source, target):
    """A copy that was stopped after some changes; returns its newest mark."""
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    for number in range(5):
        source.execute(f"INSERT INTO shop.words VALUES ('w{number}', {number})")
    wait_until(lambda: target.value("SELECT COUNT(*) FROM shop.words WHERE w='w4'"), 30, "w4")
    wait_until(lambda: _newest_lane(target)[0] >= 5, 30, "the mark")
    run.interrupt()
    return _newest_lane(target)


@test()
def test_resume_on_another_history(t):
    """The source was set back and has written as much again: its numbers say nothing any more."""
    source, target = t.pair()
    _cseq, low, last = _interrupted(t, source, target)
    source.execute("RESET MASTER" if t.dialect == "mariadb" else "RESET BINARY LOGS AND GTIDS")
    wanted = int(last.rpartition(":" if t.dialect == "mysql" else "-")[2]) + 20
    with source.connect("shop") as session, session.cursor() as cursor:
        for number in range(wanted):
            cursor.execute("REPLACE INTO words VALUES ('again', %s)", (number,))
    # Where other tests left tagged groups, other servers' groups or further domains behind, the set
    # itself says it already.
    more = "," in low or t.dialect == "mysql" and re.search(r":[a-z_]\w*:", low)
    said = ("before what was applied",) if more else ("history", last)
    _refused_resume(t, source, target, *said)


@test()
def test_resume_from_another_server(t):
    source, target = t.pair()
    _interrupted(t, source, target)
    other = t.server()
    data.shop(other)
    _refused_resume(t, other, target, "another source server")


@test()
def test_resume_with_progress_that_was_changed(t):
    source, target = t.pair()
    cseq, low, last = _interrupted(t, source, target)
    if t.dialect == "mariadb":
        domain, server, number = last.split("-")
        _progress(target, low_gtid=f"{domain}-{int(server) + 1}-{number}")
    else:
        _progress(target, last_gtid=f"{last.rpartition(':')[0]}:{10**9}")
    _refused_resume(t, source, target, "contradicts" if t.dialect == "mysql" else "history")
    _progress(target, low_gtid=low, last_gtid=last)
    # A count is believed only where the stream brings the group that was counted.
    target.execute(
        "CREATE TABLE shop.saved AS SELECT * FROM wherry.progress",
        f"UPDATE wherry.progress SET done='{cseq + 2}=9-9-9' WHERE kind='lane' AND name='0'"
    )
    for number in range(3):
        source.execute(f"INSERT INTO shop.words VALUES ('more{number}', 1)")
    run = wherry.start_copy(t, source, target, "--resume", cutover="auto", api=False)
    run.expect(wherry.EXIT_FAILED)
    check("9-9-9" in run.err and "history" in run.err, run.tail)
    # Back to where it was interrupted: groups before the contradiction may have been applied.
    target.execute(
        "DELETE FROM wherry.progress",
        "INSERT INTO wherry.progress SELECT * FROM shop.saved",
        "DROP TABLE shop.saved",
        "DELETE FROM shop.words WHERE w LIKE 'more%'",
    )
    wherry.start_copy(t, source, target, "--resume", cutover="auto", api=False).expect(0)
    oracle.require_equal(source, target)


@test()
def test_rotation_on_an_idle_source(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target, cutover="never")
    source.execute("FLUSH BINARY LOGS", "FLUSH BINARY LOGS")
    time.sleep(0.5)
    run.interrupt()
    run = wherry.start_streaming(t, source, target, "--resume")
    source.execute(
        "FLUSH BINARY LOGS",
        "INSERT INTO shop.words VALUES ('after', 1)",
        "FLUSH BINARY LOGS",
        "UPDATE shop.words SET n=5 WHERE w='after'",
    )
    _finish(t, source, target, run)


@test()
def test_quiet_tables_while_others_write(t):
    """The position moves with changes that are filtered out, so their logs may be purged."""
    source, target = t.pair()
    data.shop(source)
    source.execute("CREATE DATABASE noisy", "CREATE TABLE noisy.t (id INT PRIMARY KEY, v TEXT)")
    run = wherry.start_streaming(t, source, target, "--include", "shop.*", cutover="never")
    for number in range(3):
        for row in range(20):
            source.execute(f"INSERT INTO noisy.t VALUES ({number * 20 + row}, REPEAT('x', 1000))")
        source.execute("FLUSH BINARY LOGS")
    last = source.rows("SHOW BINARY LOGS")[-1][0]
    wait_until(
        lambda: last in str((run.copy_state() or {}).get("positions")),
        20,
        "the position in the newest log",
    )
    time.sleep(2)
    run.interrupt()
    source.execute(f"PURGE BINARY LOGS TO '{last}'", "INSERT INTO shop.words VALUES ('after', 1)")
    wherry.copy(t, source, target, "--include", "shop.*", "--resume")
    oracle.require_equal(source, target, databases=["shop"])


@test(dialects=("mariadb",))
def test_log_base_name_with_dots(t):
    """MySQL takes everything after the last dot for an extension and numbers nothing then."""
    source = t.server(options={"log-bin": "one.two.three-bin"})
    target = t.server()
    data.shop(source)
    run = wherry.start_streaming(t, source, target, cutover="never")
    for number in range(9):
        source.execute(
            "FLUSH BINARY LOGS", f"INSERT INTO shop.words VALUES ('w{number}', {number})"
        )
    run.interrupt()
    source.execute("FLUSH BINARY LOGS", "INSERT INTO shop.words VALUES ('last', 1)")
    wherry.copy(t, source, target, "--resume")
    oracle.require_equal(source, target)


@test()
def test_two_copies_of_one_source(t):
    """Two runs at a time must not throw each other out as replicas of the same number."""
    source, one = t.pair()
    other = t.server()
    data.shop(source)
    runs = [wherry.start_streaming(t, source, target) for target in (one, other)]
    source.execute("INSERT INTO shop.words VALUES ('both', 1)")
    time.sleep(1.5)
    source.execute("UPDATE shop.words SET n=2 WHERE w='both'")
    for run, target in zip(runs, (one, other)):
        _finish(t, source, target, run)


@test()
def test_account_statements(t):
    """Accounts of the source are not made at the target, and their passwords are not printed."""
    source, target = t.pair()
    data.shop(source)
    secret = "secret-1-zw9"
    run = wherry.start_streaming(
        t, source, target, "--log-level", "debug", secrets=(secret,) + datadirs.SECRETS
    )
    source.execute(
        f"CREATE USER u1@localhost IDENTIFIED BY '{secret}'",
        "GRANT SELECT ON *.* TO u1@localhost",
        f"ALTER USER u1@localhost IDENTIFIED BY '{secret}x'",
        "DROP USER u1@localhost",
        f"CREATE USER u2@localhost IDENTIFIED BY '{secret}'",
        "INSERT INTO shop.words VALUES ('after', 1)",
    )
    _finish(t, source, target, run)
    check(target.value("SELECT COUNT(*) FROM mysql.user WHERE user='u2'") == 0)


@test()
def test_connections_that_are_killed(t):
    """An operator kills every session of wherry, at the source and at the target."""
    source, target = t.pair()
    data.numbers(source, rows=8000)
    run = wherry.start_copy(t, source, target, "--chunk-rows", 100, "--rate", "4000rows")
    run.wait_state("copying")
    for number in range(4):
        for server, account in ((source, "reader"), (target, "writer")):
            for (session,) in server.rows(
                "SELECT id FROM information_schema.processlist" f" WHERE user='{account}'"
            ):
                try:
                    server.execute(f"KILL {session}")
                except Exception:
                    pass  # It ended by itself.
        source.execute(f"UPDATE bulk.t1 SET v=v+{number + 1} WHERE id%3=0")
        time.sleep(0.4)
    if not run.running():
        run.expect(wherry.EXIT_FAILED)
        check('resum' in run.err, run.tail)
        run = wherry.start_copy(t, source, target, "--resume", "--chunk-rows", 100)
    _finish(t, source, target, run)


@test(timeout=150)
def test_silent_source(t):
    """The source freezes without closing a connection: it is noticed, and all goes on after it."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    source.freeze()
    time.sleep(8)
    source.thaw()
    wait_until(lambda: source.value("SELECT 1") == 1, 20)
    source.execute("INSERT INTO shop.words VALUES ('thawed', 1)")
    if not run.running():
        run.expect(wherry.EXIT_FAILED)
        run = wherry.start_streaming(t, source, target, "--resume")
    _finish(t, source, target, run)


def _waits_for(run, *words, timeout=30):
    """Until the status says that it waits, with all of these words."""
    def says():
        text = (run.copy_state() or {}).get("waiting_for") or ""
        return all(word in text for word in words)

    wait_until(says, timeout, lambda: f"waiting for {words}\n{run.copy_state()}\n{run.tail()}")


@test()
def test_lag_while_the_source_is_away(t):
    """What a source that cannot be reached has committed is not known: no lag of zero is claimed."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    source.stop()
    _waits_for(run, "the source")
    wait_until(lambda: (run.copy_state() or {}).get("lag_ms", 0) >= 2000, 20, "a growing lag")
    source.start()
    source.execute("INSERT INTO shop.words VALUES ('back', 1)")
    wait_until(
        lambda: (run.copy_state() or {}).get("lag_ms", 9999) < 1000, 30, "a lag of about zero"
    )
    check(not run.copy_state()["waiting_for"], run.copy_state)
    _finish(t, source, target, run)


@test()
def test_read_only_target(t):
    source, target = t.pair()
    data.shop(source)
    held_up = "READ ONLY ADMIN" if t.dialect == "mariadb" else "SUPER, CONNECTION_ADMIN"
    target.execute(f"REVOKE {held_up} ON *.* FROM writer@'%'")
    t.at_end(lambda: target.execute(f"GRANT {held_up} ON *.* TO writer@'%'"))
    run = wherry.start_streaming(t, source, target)
    target.execute("SET GLOBAL read_only=1")
    source.execute("INSERT INTO shop.words VALUES ('late', 1)")
    _waits_for(run, "the target", "read-only")
    target.execute("SET GLOBAL read_only=0")
    _finish(t, source, target, run)


@test()
def test_statement_waits_for_a_session_at_the_target(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    with target.connect(autocommit=False) as holder, holder.cursor() as cursor:
        cursor.execute("UPDATE shop.words SET n=n+1 WHERE w='zoo'")
        source.execute("ALTER TABLE shop.words ADD COLUMN more INT")
        _waits_for(run, "a lock at the target", f"session {holder.thread_id()}'s")
        holder.rollback()
    _finish(t, source, target, run)


@test()
def test_rows_locked_at_the_target(t):
    """A lock at the target holds the apply up: that shows, lag grows, and it goes on afterwards."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    with target.connect(autocommit=False) as holder, holder.cursor() as cursor:
        cursor.execute("SELECT * FROM shop.words WHERE w='zoo' FOR UPDATE")
        source.execute("UPDATE shop.words SET n=77 WHERE w='zoo'")
        wait_until(lambda: (run.copy_state() or {}).get("lag_ms", 0) >= 1500, 20, "a growing lag")
        _waits_for(run, "a lock at the target", f"session {holder.thread_id()}'s")
        check(run.running(), run.tail)
        holder.rollback()
    wait_until(lambda: target.value("SELECT n FROM shop.words WHERE w='zoo'") == 77, 30, "the row")
    wait_until(
        lambda: (run.copy_state() or {}).get("lag_ms", 9999) < 1000, 20, "a lag of about zero"
    )
    _finish(t, source, target, run)


@test()
def test_lag_of_an_idle_source_is_zero(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    time.sleep(3)
    check(run.copy_state()["lag_ms"] < 1000, run.copy_state()["lag_ms"])
    _finish(t, source, target, run)


@test(dialects=("mysql",))
def test_executed_set_with_many_uuids(t):
    source, target = t.pair()
    data.shop(source)
    with source.connect() as session, session.cursor() as cursor:
        for number in range(1, 41):
            for n in (1, 2, 5):
                cursor.execute(f"SET gtid_next='00000000-0000-0000-0000-{number:012d}:{n}'")
                cursor.execute("BEGIN")
                cursor.execute("COMMIT")
        cursor.execute("SET gtid_next='AUTOMATIC'")
    run = wherry.start_streaming(t, source, target, cutover="never")
    source.execute("INSERT INTO shop.words VALUES ('one', 1)")
    run.interrupt()
    source.execute("INSERT INTO shop.words VALUES ('two', 1)")
    wherry.copy(t, source, target, "--resume")
    oracle.require_equal(source, target)


@test(dialects=("mariadb",))
def test_names_in_lower_case_only(t):
    """lower_case_table_names=1 on both: names in the patterns and statements in any case."""
    source = t.server(options={"lower-case-table-names": "1"})
    target = t.server(options={"lower-case-table-names": "1"})
    source.execute(
        "CREATE DATABASE Shop",
        "CREATE TABLE Shop.Orders_A (id INT PRIMARY KEY)",
        "INSERT INTO Shop.ORDERS_A VALUES (1)",
    )
    run = wherry.start_streaming(t, source, target, "--include", "Shop.Orders_A")
    source.execute(
        "INSERT INTO SHOP.orders_A VALUES (2)",
        "ALTER TABLE shop.ORDERS_A ADD COLUMN v INT DEFAULT 3",
        "INSERT INTO shop.orders_a VALUES (3, 3)",
    )
    _finish(t, source, target, run)


@test()
def test_stricter_key_at_the_target(t):
    """Rows that collide under a key of the target stop the copy; none is dropped in silence."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, n VARCHAR(10) COLLATE"
        " utf8mb4_bin, UNIQUE KEY (n))",
        "INSERT INTO d.t VALUES (1,'delta'),(2,'Delta')",
    )
    target.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, n VARCHAR(10) COLLATE"
        " utf8mb4_general_ci, UNIQUE KEY (n))",
    )
    run = wherry.start_copy(t, source, target, "--existing", "use", api=False, cutover="auto")
    code = run.wait()
    check(code in (wherry.EXIT_FAILED, wherry.EXIT_REFUSED), run.tail)
    check("d.t" in run.err, run.tail)


@test()
def test_resume_knows_what_statements_made(t):
    """Tables that were made, renamed and dropped by the stream are followed after a resume as well."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target, cutover="never")
    source.execute(
        "CREATE TABLE shop.late (id INT PRIMARY KEY, v INT)",
        "INSERT INTO shop.late VALUES (1,1),(2,2)",
        "RENAME TABLE shop.words TO shop.phrases",
        "DROP TABLE shop.orders",
        "CREATE TABLE shop.last (id INT PRIMARY KEY)",
    )
    wait_until(lambda: target.rows("SHOW TABLES FROM shop LIKE 'last'"), 30, "the last table")
    run.interrupt()
    source.execute(
        "INSERT INTO shop.late VALUES (3,3)",
        "INSERT INTO shop.last VALUES (3)",
        "DELETE FROM shop.phrases",
    )
    run = wherry.start_streaming(t, source, target, "--resume")
    _finish(t, source, target, run)


_KEYS = {  # definition of the key's columns, and the literals of row i
    "ints": ("a INT NOT NULL", lambda i: f"{i}"),
    "bigs": ("a BIGINT UNSIGNED NOT NULL", lambda i: f"{i * 4 * 10**14 if i % 2 else i}"),
    "decimals": ("a DECIMAL(20,5) NOT NULL", lambda i: f"{i}.12345"),
    "texts": ("a VARCHAR(50) COLLATE utf8mb4_general_ci NOT NULL", lambda i: f"'ab{i}'"),
    "latins": ("a CHAR(20) CHARACTER SET latin1 NOT NULL", lambda i: f"'\u00e4{i}'"),
    "binaries": ("a BINARY(16) NOT NULL", lambda i: f"0x{i * 77:032x}"),
    "times": ("a DATETIME(6) NOT NULL", lambda i: f"'2020-01-01 00:00:00' + INTERVAL {i} SECOND"),
    "pairs": ("a INT NOT NULL, b VARCHAR(20) NOT NULL", lambda i: f"{i % 100}, 'b{i}'"),
    "names": ("a ENUM('x','y') NOT NULL, b INT NOT NULL", lambda i: f"{i % 2 + 1}, {i}"),
}
_ROWS = 40_000


@test()
def test_deletes_read_only_their_rows(t):
    """The target believes that its tables are empty: deletes of many rows look up each key even so."""
    source, target = t.pair()
    data.shop(source)
    for name, (columns, literals) in _KEYS.items():
        key = "a, b" if ", b" in columns else "a"
        rows = ",".join(f"({literals(i)},1)" for i in range(1, _ROWS + 1))
        source.execute(f"CREATE TABLE shop.{name} ({columns}, v INT, PRIMARY KEY ({key}))"
                       " STATS_PERSISTENT=1 STATS_AUTO_RECALC=0",
                       f"INSERT INTO shop.{name} VALUES {rows}")
    run = wherry.start_streaming(t, source, target)
    target.execute("UPDATE mysql.innodb_table_stats SET n_rows=1, clustered_index_size=1"
                   " WHERE database_name='shop'",
                   "UPDATE mysql.innodb_index_stats SET stat_value=1 WHERE database_name='shop'")
    target.restart()  # it reads them anew
    run.wait_state(*wherry.STREAMING)

    def scanned():
        return int(target.rows("SHOW GLOBAL STATUS LIKE 'Handler_read_rnd_next'")[0][1])

    before = scanned()
    for name in _KEYS:
        with source.connect("shop") as session, session.cursor() as cursor:
            cursor.execute(f"DELETE FROM {name} ORDER BY a LIMIT 300")
    source.execute("INSERT INTO shop.words VALUES ('end', 1)")
    wait_until(lambda: target.rows("SELECT n FROM shop.words WHERE w='end'"), 60, "the end")
    # Each key once in its list, and the server's own look at the status; a scan reads them all.
    check(scanned() - before < _ROWS, f"scanned {scanned() - before} rows")
    _finish(t, source, target, run)


def _definition(server):
    return server.rows("SHOW CREATE TABLE shop.words")[0][1]


@test()
def test_an_index_is_built_beside_the_stream(t):
    """A session keeps the target's server from building an index: other tables are not held up, and
    a run that is killed meanwhile builds it in the end."""
    source, target = t.pair()
    data.shop(source)
    data.numbers(source, rows=200)
    run = wherry.start_streaming(t, source, target)
    with target.connect("shop") as session, session.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT COUNT(*) FROM words")
        source.execute(
            "CREATE INDEX by_n ON shop.words (n)",
            "ALTER TABLE shop.words ALGORITHM=INPLACE, ADD KEY by_both (n, w(3)), ADD KEY again (w)",
            "DELETE FROM bulk.t1 WHERE id < 100",
        )
        wait_until(lambda: target.value("SELECT COUNT(*) FROM bulk.t1") < 200, 30, "deletes")
        run.kill9()
        run = wherry.start_copy(t, source, target, "--resume")
        source.execute("DELETE FROM bulk.t1")
        wait_until(lambda: not target.value("SELECT COUNT(*) FROM bulk.t1"), 30, "deletes")
        check("by_n" not in _definition(target), "the index is there too soon")
        session.rollback()
    source.execute("INSERT INTO shop.words VALUES ('after', 5)", "DROP INDEX again ON shop.words")
    run.wait_state(*wherry.STREAMING)
    _finish(t, source, target, run)
    check("by_n" in _definition(target) and "by_both" in _definition(target), "an index is missing")
