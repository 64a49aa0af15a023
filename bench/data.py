"""What is copied and what is replayed: the tables, and the transactions that run on them.

Everything is a function of row numbers, so both kinds of server hold the same bytes, and a workload
that is run again does the same again. Prepared data folders are kept in build/bench/cache.
"""

import threading
from dataclasses import dataclass

from servers import BENCH, Server

DATABASE = "bench"
SB_TABLES = ["sb1", "sb2", "sb3", "sb4"]
TABLES = SB_TABLES + ["mixed"]
CONNECTIONS = 4


@dataclass(frozen=True)
class Scale:
    name: str
    sb_rows: int        # in each of the four tables
    mixed_rows: int
    small: int          # transactions of one row each
    batch: int          # transactions of 100 updated rows each
    pool_mb: int
    redo_mb: int

    @property
    def rows(self):
        return self.sb_rows * len(SB_TABLES) + self.mixed_rows


FULL = Scale("full", 500_000, 200_000, 200_000, 10_000, 1024, 512)
QUICK = Scale("quick", 20_000, 8_000, 8_000, 400, 128, 128)

SB_TABLE = """CREATE TABLE {name} (
  id INT NOT NULL AUTO_INCREMENT, k INT NOT NULL DEFAULT 0,
  c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '',
  PRIMARY KEY (id), KEY k (k)) ENGINE=InnoDB DEFAULT CHARSET=latin1"""

SB_ROWS = """INSERT INTO {name} SELECT n, CRC32(CONCAT(n, '{name}')) % {rows},
  LEFT(SHA2(CONCAT('c{name}', n), 512), 119), LEFT(SHA2(CONCAT('p{name}', n), 256), 59)
  FROM {numbers} ORDER BY n"""

MIXED_TABLE = """CREATE TABLE mixed (
  id BIGINT UNSIGNED NOT NULL, c_tiny TINYINT, c_small SMALLINT UNSIGNED, c_medium MEDIUMINT,
  c_int INT UNSIGNED, c_big BIGINT, c_decimal DECIMAL(20,6), c_float FLOAT, c_double DOUBLE,
  c_date DATE, c_datetime DATETIME(6), c_timestamp TIMESTAMP(3) NULL, c_time TIME(3), c_year YEAR,
  c_char CHAR(32), c_varchar VARCHAR(200), c_text TEXT, c_varbinary VARBINARY(64),
  c_enum ENUM('red','green','blue','black'), c_json JSON,
  PRIMARY KEY (id)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"""

# c_float has values of more than six digits: a copy by way of text loses them.
MIXED_ROWS = """INSERT INTO mixed SELECT n, n % 255 - 127, n % 65536, n % 16777216 - 8388608,
  CRC32(n), n * 7919 - 4611686018427387904, n * 1.000001 - 100000.5, 1000 + n / 64, n / 7,
  DATE '1990-01-01' + INTERVAL (n % 15000) DAY,
  TIMESTAMP '1990-01-01 00:00:00.000001' + INTERVAL (n * 1009) SECOND,
  IF(n % 11 = 0, NULL, TIMESTAMP '2001-01-01 00:00:00.5' + INTERVAL n SECOND),
  SEC_TO_TIME(n % 3000000 - 1500000), 1950 + n % 150,
  LEFT(SHA2(CONCAT('h', n), 256), 20 + n % 12),
  IF(n % 13 = 0, NULL, CONCAT('straße 東京 ', REPEAT(CONV(CRC32(n), 10, 36), 1 + n % 12))),
  CONCAT(REPEAT(LEFT(SHA2(CONCAT('t', n), 256), 40), 1 + n % 5), ' end'),
  UNHEX(LEFT(SHA2(CONCAT('b', n), 512), 2 * (1 + n % 60))),
  ELT(1 + n % 4, 'red', 'green', 'blue', 'black'),
  JSON_OBJECT('n', n, 'tag', CONV(CRC32(n), 10, 16), 'list', JSON_ARRAY(n % 7, 'x', NULL))
  FROM {numbers} ORDER BY n"""


def numbers(dialect, count):
    """A derived table with n from 1 to count."""
    if dialect == "mariadb":
        return f"(SELECT CAST(seq AS SIGNED) AS n FROM seq_1_to_{count}) AS numbers"
    digits = "(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL " \
        "SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 " \
        "UNION ALL SELECT 9)"
    places = len(str(count))
    total = " + ".join(f"d{i}.d * {10 ** i}" for i in range(places))
    tables = ", ".join(f"{digits} d{i}" for i in range(places))
    return f"(SELECT 1 + {total} AS n FROM {tables} HAVING n <= {count}) AS numbers"


def fill(server, scale):
    prepare = ["SET SESSION sql_log_bin = 0", f"USE {DATABASE}"]
    server.run("SET SESSION sql_log_bin = 0", f"CREATE DATABASE {DATABASE}")

    def fill_table(name):
        if name == "mixed":
            create = MIXED_TABLE
            rows = MIXED_ROWS.format(numbers=numbers(server.dialect, scale.mixed_rows))
        else:
            create = SB_TABLE.format(name=name)
            rows = SB_ROWS.format(name=name, rows=scale.sb_rows,
                                  numbers=numbers(server.dialect, scale.sb_rows))
        server.run(*prepare, create, rows)

    for pair in (("sb1", "sb2"), ("sb3", "sb4"), ("mixed",)):
        run_together([lambda name=name: fill_table(name) for name in pair])
    server.run(*prepare, *workload_procedures(scale))
    server.reset_binlog()


def run_together(calls):
    failures = []

    def guarded(call):
        try:
            call()
        except Exception as error:  # re-raised below, in the thread that asked
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def per_table(statement):
    """One CASE arm a table: `statement` with {table}."""
    arms = "\n".join(f"      WHEN {number} THEN {statement.format(table=table)};"
                     for number, table in enumerate(SB_TABLES))
    return f"CASE t\n{arms}\n    END CASE;"


def small_procedure(name, update_id, delete_id, rows):
    """Transactions of one row: by turns update, insert, update, delete, each on the next table."""
    update = "UPDATE {table} SET k = k + 1, c = LEFT(SHA2(CONCAT('u', conn, ':', i), 512), 119) " \
             f"WHERE id = {update_id}"
    insert = "INSERT INTO {table} VALUES (" + f"{rows} + 1 + 4 * turn + conn" + \
             ", i % 1000, LEFT(SHA2(CONCAT('i', conn, ':', i), 512), 119), 'inserted')"
    delete = "DELETE FROM {table} WHERE id = " + delete_id
    return f"""CREATE PROCEDURE {name}(conn INT, first INT, transactions INT)
BEGIN
  DECLARE i INT DEFAULT first;
  DECLARE t INT;
  DECLARE turn INT;
  WHILE i < first + transactions DO
    SET turn = i DIV 4, t = turn % 4;
    IF i % 2 = 0 THEN {per_table(update)}
    ELSEIF i % 4 = 1 THEN {per_table(insert)}
    ELSE {per_table(delete)}
    END IF;
    SET i = i + 1;
  END WHILE;
END"""


def workload_procedures(scale):
    rows = scale.sb_rows
    # Rows of a connection have id % 4 = conn, so connections do not wait for one another. Odd turns
    # of small delete what the connection inserted 40 turns before, and updates come back to rows.
    small = small_procedure(
        "small", f"1 + 4 * (CRC32(CONCAT(conn, ':', i)) % {rows // 4}) + conn",
        f"IF(turn >= 40 AND (turn DIV 4) % 2 = 1, {rows} + 1 + 4 * (turn - 40) + conn, "
        f"1 + 4 * ({rows // 4} - 1 - turn DIV 4) + conn)", rows)
    # Every row is touched once: updates from the low end, deletes from the high end.
    nocancel = small_procedure(
        "small_nocancel", "1 + 4 * (i DIV 2) + conn",
        f"1 + 4 * ({rows // 4} - 1 - turn) + conn", rows)
    batch_update = "UPDATE {table} SET k = k + 1, c = LEFT(SHA2(CONCAT(id, ':', i), 512), 119) " \
                   "WHERE id BETWEEN a AND a + 99"
    batch = f"""CREATE PROCEDURE batch(conn INT, first INT, transactions INT)
BEGIN
  DECLARE i INT DEFAULT first;
  DECLARE t INT;
  DECLARE a INT;
  WHILE i < first + transactions DO
    SET t = i % 4, a = 1 + 100 * ((4 * (i DIV 4) + conn) % {rows // 100});
    {per_table(batch_update)}
    SET i = i + 1;
  END WHILE;
END"""
    return [small, nocancel, batch]


WORKLOADS = {"small": "small", "small-nocancel": "small_nocancel", "batch": "batch"}


def transactions_of(workload, scale):
    return scale.batch if workload == "batch" else scale.small


def rows_of(workload, scale):
    return scale.batch * 100 if workload == "batch" else scale.small


def run_workload(server, workload, scale):
    each = transactions_of(workload, scale) // CONNECTIONS

    def work(conn):
        server.run(f"CALL {WORKLOADS[workload]}({conn}, 0, {each})", database=DATABASE)

    run_together([lambda conn=conn: work(conn) for conn in range(CONNECTIONS)])


def cached(name, scale, make):
    """The data folder build/bench/cache/NAME-SCALE, made by make(folder) where it is missing."""
    folder = BENCH / "cache" / f"{name}-{scale.name}"
    if not (folder / "complete").exists():
        server = make(folder)
        server.stop()
        (folder / "complete").touch()
    return folder / "data"


def new_server(dialect, folder, scale):
    return Server(dialect, folder, scale.pool_mb, scale.redo_mb)


def empty_datadir(dialect, scale):
    def make(folder):
        server = new_server(dialect, folder, scale).initialize().start()
        server.reset_binlog()
        return server
    return cached(f"{dialect}-empty", scale, make)


def seeded_datadir(dialect, scale):
    def make(folder):
        source = empty_datadir(dialect, scale)
        print(f"bench: filling {scale.rows} rows, {dialect}", flush=True)
        server = new_server(dialect, folder, scale).fill_from(source).start()
        fill(server, scale)
        return server
    return cached(f"{dialect}-seeded", scale, make)


def worked_datadir(dialect, workload, scale):
    """The seeded data after a workload, its binlog included."""
    def make(folder):
        source = seeded_datadir(dialect, scale)
        print(f"bench: running workload {workload}, {dialect}", flush=True)
        server = new_server(dialect, folder, scale).fill_from(source).start()
        run_workload(server, workload, scale)
        return server
    return cached(f"{dialect}-{workload}", scale, make)
