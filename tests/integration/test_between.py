"""Changes of the source between the snapshot of a chunk and its place in the stream.

A chunk's SELECT is held up behind a lock of the table while its snapshot is open already, so what must
fall between the two does.
"""
from harness import oracle, wherry
from harness.framework import check, test, wait_until

_CHUNK = 10


def _waits_for_lock(source):
    """Whether a session of wherry stands before a locked table."""
    return source.value(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE user='reader'"
        " AND state LIKE 'Waiting for table metadata lock'"
    )


def _has_table(server, name):
    return server.value(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema='d' AND table_name=%s",
        (name,),
    )


def _start_after_first_chunk(t, source, target, *options):
    """A copy of d.t (id 1 to 30) that has read ten rows and lets seconds pass before the next."""
    run = wherry.start_copy(
        t, source, target, "--readers", 1, "--chunk-rows", _CHUNK, "--rate", "2rows", *options
    )
    wait_until(
        lambda: _has_table(target, "t") and target.value("SELECT COUNT(*) FROM d.t") >= 1,
        30,
        "the first chunk",
    )
    return run


def _let_go(run):
    run.call("PATCH", "/api/v1/copy/settings", {"rate": "0rows"})


def _wait_followed(source, target):
    """Until the stream is past everything that the source has written by now."""
    source.execute("INSERT INTO d.mark VALUES (NULL)")
    last = source.value("SELECT MAX(id) FROM d.mark")
    wait_until(
        lambda: target.value("SELECT COUNT(*) FROM d.mark WHERE id=%s", (last,)) == 1,
        30,
        "the mark in the stream",
    )


def _fill(source, columns="v INT, note VARCHAR(20)"):
    rows = ",".join(f"({n},{n},'old {n}')" for n in range(1, 31))
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.mark (id INT AUTO_INCREMENT PRIMARY KEY)",
        f"CREATE TABLE d.t (id INT PRIMARY KEY, {columns})",
        f"INSERT INTO d.t VALUES {rows}",
    )


def _finish(source, target, run):
    check(run.cutover() == wherry.EXIT_DONE, run.tail)
    oracle.require_equal(source, target)


@test()
def test_xa_commit_after_the_snapshot(t):
    """The rows of an XA transaction change at its commit, not where it was prepared."""
    source, target = t.pair()
    _fill(source)
    # Its only snapshot lies between PREPARE and COMMIT as well.
    source.execute("CREATE TABLE d.keyless (v INT)", "INSERT INTO d.keyless VALUES (1)")
    run = _start_after_first_chunk(t, source, target)
    with source.connect() as session, session.cursor() as cursor:
        for statement in (
            "XA START 'x'",
            "INSERT INTO d.keyless VALUES (2)",
            "UPDATE d.t SET v=-1 WHERE id IN (3, 13)",
            "DELETE FROM d.t WHERE id IN (4, 14)",
            "UPDATE d.t SET id=114 WHERE id=15",
            "UPDATE d.t SET id=-116 WHERE id=16",
            "XA END 'x'",
            "XA PREPARE 'x'",
        ):
            cursor.execute(statement)
        _wait_followed(source, target)
        locker = source.connect()
        t.at_end(locker.close)
        # The lock waits for the transaction, and the SELECT of the next chunk for the lock.
        locker._execute_command(3, "LOCK TABLES d.t WRITE")
        wait_until(lambda: _waits_for_lock(source), 30, "a SELECT before the lock")
        _let_go(run)
        cursor.execute("XA COMMIT 'x'")
    locker._read_query_result()
    _wait_followed(source, target)
    with locker.cursor() as cursor:
        cursor.execute("UNLOCK TABLES")
    _finish(source, target, run)


@test()
def test_key_changed_while_the_table_is_copied(t):
    """Bounds of one key mean nothing under another: the table begins anew."""
    source, target = t.pair()
    _fill(source)
    source.execute("UPDATE d.t SET v=31-id")
    run = _start_after_first_chunk(t, source, target)
    source.execute(
        "ALTER TABLE d.t DROP PRIMARY KEY, ADD PRIMARY KEY (v)",
        "UPDATE d.t SET v=v+100 WHERE v IN (1, 15, 30)",
    )
    _let_go(run)
    _finish(source, target, run)


@test()
def test_key_dropped_while_the_table_is_copied(t):
    source, target = t.pair()
    _fill(source)
    run = _start_after_first_chunk(t, source, target)
    source.execute(
        "ALTER TABLE d.t DROP PRIMARY KEY",
        "INSERT INTO d.t SELECT * FROM d.t WHERE id<5",
        "DELETE FROM d.t WHERE id=30",
    )
    _let_go(run)
    _finish(source, target, run)


@test()
def test_resume_after_a_changed_key(t):
    source, target = t.pair()
    _fill(source)
    source.execute("UPDATE d.t SET v=31-id")
    run = _start_after_first_chunk(t, source, target)
    source.execute(
        "ALTER TABLE d.t DROP PRIMARY KEY, ADD PRIMARY KEY (v)",
        "UPDATE d.t SET v=v+100 WHERE v IN (1, 15, 30)",
    )
    _wait_followed(source, target)
    run.kill9()
    run = wherry.start_copy(t, source, target, "--resume")
    _finish(source, target, run)


_INDEXED = (
    "v INT, note VARCHAR(20), KEY by_v (v), KEY by_note (note), KEY by_both (v, note),"
    " KEY by_prefix (note(3))"
)


def _fill_indexed(source):
    """Rows enough for their indexes to be built after them."""
    _fill(source, _INDEXED)
    source.execute(
        "ALTER TABLE d.t ADD COLUMN pad LONGBLOB",
        "UPDATE d.t SET pad=REPEAT('x', 400000)",
        "ANALYZE TABLE d.t",
    )


@test()
def test_late_indexes_and_alter(t):
    """Statements meet a table with the indexes that the source's had, and leave what they left."""
    source, target = t.pair()
    _fill_indexed(source)
    run = _start_after_first_chunk(t, source, target)
    source.execute(
        "ALTER TABLE d.t DROP INDEX by_v",
        "ALTER TABLE d.t CHANGE note label VARCHAR(30)",
        "CREATE INDEX added ON d.t (label, v)",
        "RENAME TABLE d.t TO d.u",
        "UPDATE d.u SET v=v+1",
    )
    _let_go(run)
    _finish(source, target, run)


@test()
def test_late_indexes_are_those_of_the_stream(t):
    """An index that the source has, and the stream has not come to yet, is not built twice."""
    source, target = t.pair()
    _fill_indexed(source)
    run = _start_after_first_chunk(t, source, target)
    run.action("pause")
    source.execute("CREATE INDEX added ON d.t (v)", "DROP INDEX by_note ON d.t")
    run.interrupt()
    run = wherry.start_copy(t, source, target, "--resume")
    _finish(source, target, run)


def _lock_and_wait(t, source):
    """A session that holds d.t locked, with a chunk's SELECT waiting before it."""
    locker = source.connect()
    t.at_end(locker.close)
    with locker.cursor() as cursor:
        cursor.execute("LOCK TABLES d.t WRITE, d.pair WRITE, d.mark WRITE")
    wait_until(lambda: _waits_for_lock(source), 30, "a SELECT before the lock")
    return locker


_PARTIAL = (
    "UPDATE d.t SET v=-1 WHERE id IN (2, 13, 23)",
    "UPDATE d.t SET id=id+100, v=0 WHERE id IN (4, 14)",
    "UPDATE d.t SET id=-id WHERE id IN (5, 15, 25)",
    "UPDATE d.t SET id=-100 WHERE id=26",
    "UPDATE d.t SET id=-101 WHERE id=-100",
    "UPDATE d.t SET note='moved back' WHERE id=-101",
    "UPDATE d.t SET id=-1000 WHERE id=17",
    "UPDATE d.t SET id=17 WHERE id=18",
    "UPDATE d.t SET id=18 WHERE id=-1000",
    "DELETE FROM d.t WHERE id IN (3, 19)",
    "UPDATE d.pair SET b=-b WHERE a>1",
)


@test()
def test_smaller_row_images_and_moved_keys(t):
    """A session that logs parts of rows moves rows from where no chunk was to where one has been."""
    source, target = t.pair()
    _fill(source)
    source.execute(
        "CREATE TABLE d.pair (a INT, b INT, v INT, note VARCHAR(20), PRIMARY KEY (a, b))",
        "INSERT INTO d.pair SELECT id DIV 4, id, v, note FROM d.t",
    )
    run = _start_after_first_chunk(t, source, target)
    with source.connect() as session, session.cursor() as cursor:
        cursor.execute("SET SESSION binlog_row_image=MINIMAL")
        cursor.execute("UPDATE d.t SET id=-id WHERE id IN (8, 28, 29)")
        cursor.execute("UPDATE d.t SET id=-id-50 WHERE id IN (-8, -28, 27)")
    _let_go(run)
    locker = _lock_and_wait(t, source)
    with locker.cursor() as cursor:
        cursor.execute("SET SESSION binlog_row_image=MINIMAL")
        for statement in _PARTIAL:
            cursor.execute(statement)
        cursor.execute("INSERT INTO d.mark VALUES (1000)")
        wait_until(
            lambda: target.value("SELECT COUNT(*) FROM d.mark WHERE id=1000"), 30, "the mark"
        )
        cursor.execute("UNLOCK TABLES")
    _finish(source, target, run)


@test(dialects=("mysql",))
def test_partial_json_before_the_row(t):
    source, target = t.pair()
    _fill(source)
    source.execute("ALTER TABLE d.t DROP COLUMN v, ADD COLUMN v JSON")
    source.execute("UPDATE d.t SET v='{\"a\": [1], \"b\": \"%s\"}'" % ("x" * 200))
    source.execute("CREATE TABLE d.pair (id INT PRIMARY KEY)")
    run = _start_after_first_chunk(t, source, target)
    _let_go(run)
    locker = _lock_and_wait(t, source)
    with locker.cursor() as cursor:
        cursor.execute("SET SESSION binlog_row_value_options=PARTIAL_JSON")
        cursor.execute("UPDATE d.t SET v=JSON_SET(v, '$.a[0]', 7) WHERE id IN (3, 13, 23)")
        cursor.execute("UPDATE d.t SET v=JSON_SET(v, '$.a[0]', 8), id=-id WHERE id IN (14, 24)")
        cursor.execute("INSERT INTO d.mark VALUES (1000)")
        wait_until(
            lambda: target.value("SELECT COUNT(*) FROM d.mark WHERE id=1000"), 30, "the mark"
        )
        cursor.execute("UNLOCK TABLES")
    _finish(source, target, run)


@test()
def test_cascade_through_a_row_that_is_not_copied(t):
    """A chain inside one table: its middle is gone before it was copied, its end must go too."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.mark (id INT AUTO_INCREMENT PRIMARY KEY)",
        "CREATE TABLE d.t (id INT PRIMARY KEY, parent INT NULL, FOREIGN KEY (parent)"
        " REFERENCES d.t (id) ON DELETE CASCADE)",
        "INSERT INTO d.t VALUES " + ",".join(f"({n},NULL)" for n in range(21, 31)),
        "INSERT INTO d.t SELECT id-10, id FROM d.t",
        "INSERT INTO d.t SELECT id-10, id FROM d.t WHERE id<21",
    )
    run = _start_after_first_chunk(t, source, target)
    source.execute("DELETE FROM d.t WHERE id IN (22, 25)")
    _wait_followed(source, target)
    _let_go(run)
    source.execute("DELETE FROM d.t WHERE id=27", "DELETE FROM d.t WHERE id=18")
    _finish(source, target, run)
    check(source.value("SELECT COUNT(*) FROM d.t") == 19)


@test()
def test_row_moved_after_a_cascading_delete(t):
    """Checks of foreign keys are on for the delete alone; the row comes from a part not read yet."""
    source, target = t.pair()
    _fill(source)
    source.execute(
        "CREATE TABLE d.p (id INT PRIMARY KEY)",
        "CREATE TABLE d.q (id INT PRIMARY KEY, p INT,"
        " FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE CASCADE)",
        "INSERT INTO d.p VALUES (1), (2)",
        "INSERT INTO d.q VALUES (1, 1), (2, 2)",
    )
    run = _start_after_first_chunk(t, source, target)
    source.execute(
        "BEGIN", "DELETE FROM d.p WHERE id=1", "UPDATE d.t SET id=-5 WHERE id=25", "COMMIT"
    )
    _wait_followed(source, target)
    _let_go(run)
    check(run.cutover() == wherry.EXIT_DONE, run.tail)
    oracle.require_equal(source, target)
