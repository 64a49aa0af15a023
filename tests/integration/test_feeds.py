"""Feeds into MySQL and MariaDB: one stream of the source, its log, and targets that miss nothing."""
import random
import time

from harness import data, feeds, nativereplica, oracle
from harness.framework import check, test, wait_until
from harness.workload import Workload


def _equal(source, target, **options):
    found = oracle.compare(source, target, auto_increment=False, **options)
    check(found, lambda: f"the target differs\n{found.text()}")


def _tally(server):
    return server.value("SELECT SUM(n) FROM rnd.tally")


@test(timeout=240)
def test_exactly_once_when_wherry_dies(t):
    """Killed at random moments under load: no row is lost, no counter raised twice."""
    source, target = t.pair()
    rng = random.Random(f"feed kill {t.first_seed}")
    work = Workload(source, t.first_seed, pause=0.004, rows=1200).create().start()
    server = feeds.Feeds(t).start()
    try:
        server.create("all", source, target, include=["rnd.*"], lanes=4)
        for number in range(t.rounds or 8):
            work.let_run(rng.choice((0.2, 0.5, 1.0)) * rng.uniform(0.5, 1.5))
            if number % 3 == 2:
                server.stop()
            else:
                server.kill9()
            server.start()
        server.wait_copied("all")
        work.let_run(0.5)
    finally:
        work.stop()
    server.wait_applied("all", source)
    _equal(source, target)
    check(_tally(source) == _tally(target) and _tally(source) > 0, "the counters differ")


@test(timeout=240)
def test_exactly_once_when_the_target_dies(t):
    source, target = t.pair()
    rng = random.Random(f"feed target {t.first_seed}")
    work = Workload(source, t.first_seed, pause=0.004, rows=600).create().start()
    server = feeds.Feeds(t).start()
    try:
        server.create("all", source, target, include=["rnd.*"], lanes=3)
        server.wait_copied("all")
        for _number in range(t.rounds or 3):
            work.let_run(rng.uniform(0.2, 0.8))
            target.kill9()
            work.let_run(rng.uniform(0.1, 0.4))
            target.start()
    finally:
        work.stop()
    server.wait_applied("all", source, timeout=120)
    _equal(source, target)
    check(_tally(source) == _tally(target) and _tally(source) > 0, "the counters differ")


def _dumps(source):
    return source.value("SELECT COUNT(*) FROM information_schema.processlist"
                        " WHERE command LIKE 'Binlog Dump%'")


@test()
def test_feeds_of_one_source_share_its_stream(t):
    source, target = t.pair()
    other = t.server(t.target_dialect)
    data.shop(source)
    data.numbers(source, rows=500)
    server = feeds.Feeds(t).start()
    server.create("shop", source, target, include=["shop.*"])
    server.create("bulk", source, other, include=["bulk.*"])
    server.create("renamed", source, other, include=["shop.words"], rename=["shop=store"])
    for name in ("shop", "bulk", "renamed"):
        server.wait_copied(name)
    source.execute("INSERT INTO shop.words VALUES ('one', 1)", "UPDATE bulk.t1 SET v = v + 1")
    for name in ("shop", "bulk", "renamed"):
        server.wait_applied(name, source)
    check(_dumps(source) == 1, f"{_dumps(source)} binlog dumps of the source")
    check(target.value("SELECT n FROM shop.words WHERE w='one'") == 1, "shop")
    check(other.value("SELECT n FROM store.words WHERE w='one'") == 1, "renamed")
    check(other.value("SELECT SUM(v) FROM bulk.t1") == source.value("SELECT SUM(v) FROM bulk.t1"), "bulk")
    check("wherry" not in source.user_databases(), "wherry wrote to the source")
    # A feed that is removed keeps nothing of the log; the others go on.
    server.call("DELETE", "/feeds/bulk")
    wait_until(lambda: len(server.call("GET", "/feeds")["feeds"]) == 2, 20, "the removal")
    source.execute("INSERT INTO shop.words VALUES ('two', 2)")
    server.wait_applied("shop", source)


@test(dialects=("mariadb",))
def test_servers_of_one_server_id_are_not_taken_for_one(t):
    """Every MariaDB server has server_id 1 until somebody gives it another."""
    source, other, target = (t.server(options={"server-id": "1"}) for _ in range(3))
    for one in (source, other):
        data.shop(one)
    server = feeds.Feeds(t).start()
    server.create("first", source, target, include=["shop.*"])
    server.wait_copied("first")
    server.create("second", other, target, include=["shop.*"], rename=["shop=other"])
    wait_until(lambda: server.look("second")["state"] == "failed", 30, "the refusal")
    error = server.look("second")["error"]["message"]
    check("server_id" in error, error)
    source.execute("INSERT INTO shop.words VALUES ('on', 1)")
    server.wait_applied("first", source)


@test()
def test_the_log_outlives_the_binlog_of_the_source(t):
    """What is in the log needs the source no more: it may purge while a feed is paused."""
    source, target = t.pair()
    data.shop(source)
    server = feeds.Feeds(t).start()
    other = t.server(t.target_dialect)
    server.create("slow", source, target, include=["shop.*"])
    server.create("fast", source, other, include=["shop.*"])
    for name in ("slow", "fast"):
        server.wait_copied(name)
    server.call("POST", "/feeds/slow/pause")
    server.wait("slow", lambda document: document["state"] == "stopped", "the pause")
    for number in range(50):
        source.execute(f"INSERT INTO shop.words VALUES ('w{number}', {number})")
    server.wait_applied("fast", source)
    source.execute("FLUSH BINARY LOGS")
    source.execute("INSERT INTO shop.words VALUES ('last', 0)")
    server.wait_applied("fast", source)
    newest = source.rows("SHOW BINARY LOGS")[-1][0]
    source.execute(f"PURGE BINARY LOGS TO '{newest}'")
    server.stop()
    server.start()
    server.wait_applied("fast", source)
    server.call("POST", "/feeds/slow/resume")
    server.wait_applied("slow", source)
    _equal(source, target)


@test()
def test_starts_from_now_and_from_a_position(t):
    source, target = t.pair()
    late = t.server(t.target_dialect)
    if t.source_dialect == "mysql":
        # As a server that was made from another's copy: no binlog of its own names that history.
        source.execute("RESET BINARY LOGS AND GTIDS",
                       "SET GLOBAL gtid_purged='0fae992f-ed3e-11f1-b25e-02fc00000009:1-148'")
    for one in (source, target, late):
        data.shop(one)
    server = feeds.Feeds(t).start()
    server.create("now", source, target, include=["shop.*"], start="now", existing="use")
    server.wait_copied("now")
    place = (source.value("SELECT @@gtid_binlog_pos") if t.source_dialect == "mariadb" else
             source.value("SELECT @@gtid_executed").replace("\n", ""))
    for number in range(5):
        source.execute(f"INSERT INTO shop.words VALUES ('w{number}', {number})")
    server.wait_applied("now", source)
    server.create("earlier", source, late, include=["shop.*"], start=place, existing="use")
    server.wait_applied("earlier", source)
    _equal(source, target)
    _equal(source, late)
    # By file and offset, into a log that begins there.
    anew = t.server(t.target_dialect)
    data.shop(anew)
    status = "SHOW MASTER STATUS" if t.source_dialect == "mariadb" else "SHOW BINARY LOG STATUS"
    source.execute("FLUSH BINARY LOGS", "INSERT INTO shop.words VALUES ('u', 1)",
                   "DELETE FROM shop.words WHERE w='u'")
    file, offset = source.rows(status)[0][:2]
    source.execute(f"PURGE BINARY LOGS TO '{file}'")
    for number in range(5):
        anew.execute(f"INSERT INTO shop.words VALUES ('w{number}', {number})")
        source.execute(f"INSERT INTO shop.words VALUES ('v{number}', {number})")
    other = feeds.Feeds(t, t.path("other")).start()
    other.create("file", source, anew, include=["shop.*"], start=f"{file}:{offset}", existing="use")
    other.wait_applied("file", source)
    _equal(source, anew)


@test(timeout=180)
def test_a_series_of_definitions_with_deaths_between(t):
    """Statements of every kind while serve is killed between and inside them."""
    source, target = t.pair()
    data.shop(source)
    server = feeds.Feeds(t).start()
    server.create("shop", source, target, include=["shop.*", "more.*"])
    server.wait_copied("shop")
    series = [
        "ALTER TABLE shop.words ADD COLUMN a INT NOT NULL DEFAULT 3 FIRST",
        "INSERT INTO shop.words (w, n, a) VALUES ('a', 1, 2)",
        "CREATE TABLE shop.fresh LIKE shop.words",
        "INSERT INTO shop.fresh SELECT * FROM shop.words",
        "RENAME TABLE shop.words TO shop.old_words, shop.fresh TO shop.words",
        "UPDATE shop.words SET n = n + 1",
        "TRUNCATE TABLE shop.old_words",
        "CREATE DATABASE more",
        "CREATE TABLE more.t (id INT PRIMARY KEY, v VARCHAR(10)) AS SELECT 1 AS id, 'x' AS v",
        "ALTER TABLE more.t DROP PRIMARY KEY, ADD UNIQUE KEY (v)",
        "INSERT INTO more.t VALUES (1, 'y')",
        "DROP TABLE shop.old_words",
        "CREATE INDEX by_v ON more.t (id)",
        "ALTER TABLE more.t RENAME TO shop.moved, MODIFY v VARCHAR(20) NOT NULL",
        "DROP DATABASE more",
        "INSERT INTO shop.moved VALUES (5, 'z')",
    ]
    for number, statement in enumerate(series):
        source.execute(statement)
        if number % 3 == 1:
            server.kill9()
            server.start()
    server.wait_applied("shop", source, timeout=90)
    server.wait_copied("shop")
    _equal(source, target)


@test(timeout=240)
def test_a_syncpoint_is_one_moment_of_both_sides(t):
    """Replicas of source and target, each stopped at its half of a pair, hold the same rows, while
    writers and DDL go on."""
    source, target = t.pair()
    source_then, target_then = t.server(t.source_dialect), t.server(t.target_dialect)
    nativereplica.attach(t, source, source_then, start=False)
    nativereplica.attach(t, target, target_then, start=False)
    work = Workload(source, t.first_seed, pause=0.002, rows=400).create().start()
    server = feeds.Feeds(t).start()
    try:
        server.create("all", source, target, include=["rnd.*"], **{"syncpoint-interval": "1s"})
        server.wait_copied("all")
        work.let_run(2.5)
        server.kill9()
        server.start()
        server.wait_copied("all")
        work.let_run(1.0)
        server.call("POST", "/feeds/all/syncpoint")
        work.let_run(0.5)
    finally:
        work.stop()
    server.wait_applied("all", source)
    pairs = target.rows("SELECT cseq, source_gtid, target_gtid FROM wherry.syncpoint"
                        " WHERE feed='feed:all' AND target_gtid<>'' ORDER BY cseq")
    check(len(pairs) >= 3, f"only {len(pairs)} syncpoints")
    cseq, source_gtid, target_gtid = pairs[len(pairs) // 2]
    t.log(f"syncpoint {cseq}: {source_gtid} and {target_gtid}")
    nativereplica.run_until(source_then, source_gtid)
    nativereplica.run_until(target_then, target_gtid)
    _equal(source_then, target_then)
