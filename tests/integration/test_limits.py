"""Budgets hold: large transactions, wide rows, skewed keys, the rate that was asked for."""
import os
import re
import signal
import time
import urllib.parse

from harness import data, feeds, oracle, places, s3, sanitizers, wherry
from harness.framework import check, test, wait_until

_BUDGET = 64 << 20
# Code, libraries, thread stacks and the allocator's slack, on top of the budget for rows.
_ALLOWANCE = 64 << 20


def _peak(run):
    """The largest resident size of the program so far, in bytes; None when it has ended."""
    try:
        with open(f"/proc/{run.child.pid}/status") as text:
            for line in text:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return None


def _check_peak(t, run, peak, budget=_BUDGET):
    t.log(f"peak of {peak >> 20} MiB")
    if sanitizers.is_built_into(places.wherry_binary()):
        return
    check(peak < budget + _ALLOWANCE, lambda: f"{peak >> 20} MiB resident\n{run.tail()}")


@test(timeout=240, parallel=False)
def test_one_large_transaction(t):
    """A transaction several times larger than the budget streams through."""
    source, target = t.pair()
    data.numbers(source, rows=60000, pad=200)
    run = wherry.start_copy(t, source, target, "--memory", "64MiB")
    run.wait_state(*wherry.STREAMING, timeout=90)
    with source.connect(autocommit=False) as session, session.cursor() as cursor:
        for number in range(5):
            cursor.execute(f"UPDATE bulk.t1 SET pad=REPEAT('{number}', 200), v=v+1")
        cursor.execute("INSERT INTO bulk.t1 SELECT id+1000000, v, pad FROM bulk.t1")
        cursor.execute("DELETE FROM bulk.t1 WHERE id%3=0")
        session.commit()
    source.execute("UPDATE bulk.t1 SET v=v+1 WHERE id<100")
    run.wait_state("waiting-for-cutover", timeout=150)
    peak = _peak(run)
    check(run.cutover(timeout=120) == 0, run.tail)
    oracle.require_equal(source, target)
    _check_peak(t, run, peak)


@test(timeout=240, parallel=False)
def test_large_table_within_the_budget(t):
    source, target = t.pair()
    data.numbers(source, rows=400000, pad=190)
    run = wherry.start_copy(t, source, target, "--memory", "64MiB")
    run.wait_state("waiting-for-cutover", timeout=150)
    peak = _peak(run)
    check(run.cutover(timeout=120) == 0, run.tail)
    _check_peak(t, run, peak)
    check(
        source.rows("CHECKSUM TABLE bulk.t1")[0][1] == target.rows("CHECKSUM TABLE bulk.t1")[0][1],
        "the tables differ",
    )


# Of the binlog, in one transaction.
_TRANSACTION_MIB = int(os.environ.get("WHERRY_TEST_TRANSACTION_MIB", "300"))


@test(timeout=300, parallel=False)
def test_transaction_of_300_mib(t):
    """Rows of 8 KiB, many times the budget in one transaction: memory stays flat."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, v INT, pad VARBINARY(9000))",
        "INSERT INTO d.t VALUES (1, 1, REPEAT('p', 8192))",
        *(f"INSERT INTO d.t SELECT id+{1 << n}, v, pad FROM d.t" for n in range(12)),
    )
    run = wherry.start_copy(t, source, target, "--memory", "64MiB")
    run.wait_state("waiting-for-cutover", timeout=120)
    with source.connect(autocommit=False) as session, session.cursor() as cursor:
        for part in range(1, _TRANSACTION_MIB // 96 + 1):  # an update has each row twice
            letter = chr(ord("a") + part % 26)
            cursor.execute(f"UPDATE d.t SET pad=REPEAT('{letter}', 8192) WHERE id<=4096")
            cursor.execute(f"INSERT INTO d.t SELECT id+{part * 4096}, v, pad FROM d.t WHERE id<=4096")
        session.commit()
    source.execute("UPDATE d.t SET v=2 WHERE id=1")
    wait_until(
        lambda: target.rows("SELECT v FROM d.t WHERE id=1") == [(2,)], 150, "the stream", 0.5
    )
    peak = _peak(run)
    check(run.cutover(timeout=120) == 0, run.tail)
    oracle.require_equal(source, target)
    _check_peak(t, run, peak)


@test(timeout=240, parallel=False)
def test_backlog_within_the_budget(t):
    """Changes that pile up while the copy is paused wait at the source, not in memory."""
    source, target = t.pair()
    data.numbers(source, rows=60000, pad=190)
    run = wherry.start_copy(t, source, target, "--memory", "64MiB")
    run.wait_state("waiting-for-cutover", timeout=90)
    run.action("pause")
    for number in range(6):
        source.execute(f"UPDATE bulk.t1 SET v=v+1, pad=REPEAT('{number}', 190)")
    for number in range(400):
        source.execute(f"UPDATE bulk.t1 SET v=v+1 WHERE id BETWEEN {number} AND {number + 99}")
    run.action("resume")
    wait_until(
        lambda: target.rows("SELECT SUM(v) FROM bulk.t1") == source.rows("SELECT SUM(v) FROM bulk.t1"),
        120,
        "the stream",
        0.5,
    )
    peak = _peak(run)
    check(run.cutover(timeout=120) == 0, run.tail)
    _check_peak(t, run, peak)
    oracle.require_equal(source, target)


_LARGE = 48 << 20


@test(timeout=240, parallel=False)
def test_rows_larger_than_the_budget(t):
    """A large row is in memory twice while it is copied: where it was received, and to be sent on.
    So is a large event of the stream, which has an update's row before and after."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, kind ENUM('x', 'y'), a LONGBLOB, b LONGTEXT)",
        f"INSERT INTO d.t VALUES (1, 'x', REPEAT('a', {_LARGE // 2}), REPEAT('b', {_LARGE // 2})),"
        " (2, 'y', REPEAT('c', 1000), NULL)",
    )
    run = wherry.start_copy(t, source, target, "--memory", "64MiB")
    run.wait_state("waiting-for-cutover", timeout=90)
    _check_peak(t, run, _peak(run), 2 * _LARGE)
    source.execute(
        f"INSERT INTO d.t VALUES (3, 'x', REPEAT('\\n', {_LARGE // 3}), REPEAT('y', {_LARGE // 2}))",
        "UPDATE d.t SET b=REPEAT('\\t', 1000) WHERE id=3",
        "UPDATE d.t SET b='short' WHERE id=1",
        "DELETE FROM d.t WHERE id=2",
    )
    wait_until(lambda: target.rows("SELECT COUNT(*) FROM d.t") == [(2,)], 90, "the stream", 0.2)
    peak = _peak(run)
    check(run.cutover(timeout=120) == 0, run.tail)
    oracle.require_equal(source, target)
    _check_peak(t, run, peak, 2 * 2 * _LARGE)


_MANY = 240


def _counter(server, name):
    return int(server.rows(f"SHOW GLOBAL STATUS LIKE '{name}'")[0][1])


@test(timeout=240, parallel=False)
def test_many_small_tables(t):
    """What a table costs is a few statements: no session, no ALTER and no schema query of its own."""
    source, target = t.pair()
    with source.connect() as session, session.cursor() as cursor:
        cursor.execute("CREATE DATABASE many")
        for number in range(_MANY):
            cursor.execute(
                f"CREATE TABLE many.t{number} (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY by_v (v))"
            )
            cursor.execute(f"INSERT INTO many.t{number} (v) VALUES ({number}), (NULL)")
        cursor.execute(
            "CREATE TABLE many.child (id INT PRIMARY KEY, parent INT,"
            " FOREIGN KEY (parent) REFERENCES many.t7 (id))"
        )
        cursor.execute("INSERT INTO many.child VALUES (1, 1)")
        cursor.execute("ALTER TABLE many.t3 AUTO_INCREMENT=5000")
    counters = ("Connections", "Com_alter_table", "Com_show_create_table")
    before = [[_counter(server, name) for name in counters] for server in (source, target)]
    wherry.copy(t, source, target, "--memory", "64MiB", timeout=150)
    for server, was in zip((source, target), before):
        opened, altered, shown = (_counter(server, name) - old for name, old in zip(counters, was))
        t.log(f"{server}: {opened} sessions, {altered} ALTER, {shown} SHOW CREATE")
        check(opened < 60, f"{opened} sessions at the {server}")
        check(altered <= 1, f"{altered} times ALTER TABLE at the {server}")
        check(shown <= _MANY + 20, f"{shown} times SHOW CREATE TABLE at the {server}")
    oracle.require_equal(source, target)
    target.execute("INSERT INTO many.t3 (v) VALUES (1)")
    check(target.rows("SELECT MAX(id) FROM many.t3") == [(5000,)], "the counter was not raised")


@test(timeout=240, parallel=False)
def test_many_small_tables_resumed(t):
    """A resume reads the definitions of all tables at once and goes on."""
    source, target = t.pair()
    with source.connect() as session, session.cursor() as cursor:
        cursor.execute("CREATE DATABASE many")
        for number in range(_MANY):
            cursor.execute(f"CREATE TABLE many.t{number} (id INT PRIMARY KEY, v INT, KEY by_v (v))")
            cursor.execute(f"INSERT INTO many.t{number} VALUES (1, {number}), (2, NULL)")
    run = wherry.start_copy(t, source, target, "--rate", "100rows")
    wait_until(lambda: (run.copy_state() or {}).get("rows_copied", 0) > 20, what="a part copied")
    run.kill9()
    source.execute("UPDATE many.t5 SET v=v+1", "DROP TABLE many.t6")
    wherry.copy(t, source, target, "--resume", timeout=150)
    oracle.require_equal(source, target)


@test(timeout=150)
def test_skewed_composite_key(t):
    """One value of the first key column holds nearly all rows; chunks stay small."""
    source, target = t.pair()
    data.numbers(source, rows=40000)
    source.execute(
        "CREATE TABLE bulk.skewed (a INT, b INT, v INT, PRIMARY KEY (a, b))",
        "INSERT INTO bulk.skewed SELECT IF(id%1000=0, id, 5), id, v FROM bulk.t1",
    )
    wherry.copy(t, source, target, "--include", "bulk.skewed", "--chunk-rows", 500, timeout=120)
    oracle.require_equal(source, target, ignore=("bulk.t1",))


@test(dialects=("mariadb",))
def test_rate_is_kept(t):
    source, target = t.pair()
    data.numbers(source, rows=12000)
    begin = time.monotonic()
    wherry.copy(t, source, target, "--rate", "4000rows", "--chunk-rows", 100)
    took = time.monotonic() - begin
    check(took > 1.8, f"12000 rows at 4000 a second took {took:.1f} s")
    oracle.require_equal(source, target)


@test(timeout=240, dialects=("mariadb",), parallel=False)
def test_redo_whose_storage_hangs(t):
    """Nothing answers, changes go on: the program holds what its budgets allow, and no more."""
    if s3.missing():
        t.skip(s3.missing())
    storage = s3.S3Server(t, "hangs")
    source, target = t.pair()
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v LONGTEXT)")
    secret = urllib.parse.quote(storage.secret_key, safe="")
    keys = f"s3://{storage.access_key}:{secret}@"
    server = feeds.Feeds(t).start()
    server.create("all", source, target, start="now", include=["shop.*"], existing="use",
                  memory="16MiB",
                  **{"redo.storage": storage.uri("redo").replace("s3://", keys),
                     "redo.memory": "16MiB", "redo.compress": False, "log.memory": "16MiB"})
    server.wait_copied("all")
    os.kill(storage.child.pid, signal.SIGSTOP)
    try:
        for number in range(64):
            source.execute(f"REPLACE INTO shop.t SELECT seq, REPEAT(MD5({number}+seq), 32768)"
                           " FROM shop.seq_1_to_4")

        def behind():
            _status, metrics = server.run.call("GET", "/metrics")
            found = re.search(r'wherry_redo_behind_transactions{feed="all"} ([0-9.e+]+)', metrics)
            return found and float(found[1]) >= 60

        wait_until(behind, 60, "the log to have the changes")
        peak = _peak(server.run)
        check(not target.value("SELECT COUNT(*) FROM shop.t"), "the target shows what is not durable")
    finally:
        server.kill9()
        os.kill(storage.child.pid, signal.SIGCONT)
    _check_peak(t, server.run, peak, budget=48 << 20)
