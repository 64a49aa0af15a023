"""Rows are read by the columns that their table had where they were logged, however far the source is by now."""
from harness import feeds
from harness.framework import check, test

_ROWS = "SELECT * FROM d.t ORDER BY id"
_COLUMNS = ("SELECT column_name FROM information_schema.columns WHERE table_schema='d' AND table_name='t'"
            " ORDER BY ordinal_position")


def _without_names(t):
    source, target = t.pair()
    if source.dialect == "mariadb":
        source.execute("SET GLOBAL binlog_row_metadata = " + ("NO_LOG" if t.target_dialect == "mariadb" else "MINIMAL"))
    else:
        source.execute("SET GLOBAL binlog_row_metadata = MINIMAL")
    source.execute("CREATE DATABASE d CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                   "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT UNSIGNED, c INT)"
                   " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "INSERT INTO d.t VALUES (1,2,3,4),(2,3,4,5)")
    return source, target


@test(dialects=("mariadb", "mysql", "mariadb>mysql", "mysql>mariadb"), timeout=120)
def test_rows_between_ddls_that_a_restart_divides(t):
    source, target = _without_names(t)
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["d.*"])
    server.wait_copied("all")
    source.execute("ALTER TABLE d.t ADD COLUMN x INT AFTER a", "INSERT INTO d.t VALUES (10,11,12,13,14)")
    server.wait_applied("all", source)
    server.kill9()
    # As many columns of the same types before and behind each of these: only their names differ.
    source.execute(
        "UPDATE d.t SET x = 15 WHERE id = 1", "INSERT INTO d.t VALUES (20,21,22,4000000023,24)",
        "ALTER TABLE d.t DROP COLUMN b", "INSERT INTO d.t VALUES (30,31,32,33)",
        "ALTER TABLE d.t ADD COLUMN y INT FIRST", "INSERT INTO d.t VALUES (44,40,41,42,43)",
        "ALTER TABLE d.t MODIFY COLUMN a BIGINT AFTER c", "INSERT INTO d.t VALUES (54,50,51,52,5000000053)",
        "ALTER TABLE d.t RENAME COLUMN x TO a2", "DELETE FROM d.t WHERE id = 2",
        "UPDATE d.t SET a2 = 7 WHERE id = 10")
    server.start()
    server.wait_applied("all", source)
    wanted, found = source.rows(_ROWS), target.rows(_ROWS)
    check(wanted == found, lambda: f"{wanted}\n{found}")
    check(source.rows(_COLUMNS) == target.rows(_COLUMNS), lambda: target.rows(_COLUMNS))
