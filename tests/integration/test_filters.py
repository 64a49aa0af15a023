"""Feeds that leave out rows (`where`) and kinds of change (`skip`): what stays is what the server itself
says of the condition, whether a row came by the snapshot or by the log."""
import json
import random

from harness import feeds, wherry
from harness.framework import check, test, wait_until

_COLUMNS = """id INT PRIMARY KEY, n BIGINT, u BIGINT UNSIGNED, d DECIMAL(20,3), f DOUBLE, y YEAR,
 s VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci,
 c VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
 l VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci,
 w VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci,
 e ENUM('new','Paid','it''s') CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci,
 dt DATE, at DATETIME(3), ts TIMESTAMP(2) NULL, tm TIME(1), b BIT(9), r VARBINARY(8)"""

# Each over a table of its own with the same rows.
_CONDITIONS = (
    "n > 0", "n >= -3 AND u < 18446744073709551615", "d = 0.5 OR d < -1.25", "n <=> NULL OR u IS NULL",
    "NOT (n = 1 AND d > 0)", "n NOT IN (1, 2, NULL)", "n IN (1, -1, 5)", "d BETWEEN -0.5 AND 1.5",
    "n <> d", "f > 1e0 OR f < -0.25", "f >= n", "y >= 2000", "b > 3 AND b < b'100000000'",
    "s = 'paid'", "s <> 'PAID' AND s IS NOT NULL", "s < 'b_'", "s LIKE 'p%D'", "s NOT LIKE '_a%'",
    "s LIKE '%\\_%' OR s LIKE 'x|%' ESCAPE '|'", "c = 'pä'", "c < 'ä'", "c LIKE '_ä%'", "BINARY c = 'a'",
    "s COLLATE utf8mb4_bin > 'P'", "l = 'PAID'", "w IN ('paid', 'a')", "w > 'c'", "e = 'PAID'",
    "e IN ('new', 'it''s')", "dt >= '2024-02-29'", "at < '2024-02-29 12:00:00.5'", "at >= dt",
    "ts > '2024-02-29'", "tm < '-01:00:00' OR tm > '100:00:00'", "r = x'61FF' OR r = 'a'", "r < 'b'",
    "(n > 0 OR d > 0) AND NOT (s LIKE 'a%' OR u = 7)", "n",
)


def _pick(rng, *values):
    return "NULL" if rng.random() < 0.15 else rng.choice(values)


def _values(rng):
    text = ("'paid'", "'Paid '", "'PAID'", "''", "' '", "'a'", "'A_b'", "'b'", "'b_'", "'50%'", "'x%'", "'pxd'")
    return ", ".join((
        _pick(rng, "0", "1", "-1", "2", "5", "-9223372036854775808", "9223372036854775807"),
        _pick(rng, "0", "7", "18446744073709551615", "18446744073709551614"),
        _pick(rng, "0.5", "0.500", "-1.25", "-1.251", "12345678901234567.125", "0"),
        _pick(rng, "0.1", "1", "1.5", "-0.5", "1e20", "0"),
        _pick(rng, "1999", "2000", "2024"),
        _pick(rng, *text),
        _pick(rng, *text, "'pä'", "'ä'", "'öäx'", "'a  '"),
        _pick(rng, *text),
        _pick(rng, *text),
        _pick(rng, "'new'", "'Paid'", "'it''s'"),
        _pick(rng, "'2024-02-28'", "'2024-02-29'", "'2024-03-01'"),
        _pick(rng, "'2024-02-28 23:59:59.999'", "'2024-02-29 12:00:00.5'", "'2024-02-29'"),
        _pick(rng, "'2024-02-28 23:59:59.99'", "'2024-02-29 00:00:00'", "'2024-02-29 00:00:01'"),
        _pick(rng, "'-01:00:00'", "'-01:00:00.1'", "'100:00:00'", "'838:59:59'"),
        _pick(rng, "b'11'", "b'100'", "b'111111111'", "b'0'"),
        _pick(rng, "'a'", "x'61FF'", "'b'", "x'6100'", "''")))


def _write(rng, source, rounds):
    for _ in range(rounds):
        key = rng.randint(1, 60)
        values = _values(rng)
        kind = rng.random()
        for number in range(len(_CONDITIONS)):
            if kind < 0.7:
                source.execute(f"REPLACE INTO wh.t{number} VALUES ({key}, {values})")
            elif kind < 0.85:
                source.execute(f"UPDATE IGNORE wh.t{number} SET id = {(key * 7) % 60 + 1} WHERE id = {key}")
            else:
                source.execute(f"DELETE FROM wh.t{number} WHERE id = {key}")


def _make(source, rng):
    source.execute("CREATE DATABASE wh")
    rows = [_values(rng) for _ in range(40)]
    for number in range(len(_CONDITIONS)):
        source.execute(f"CREATE TABLE wh.t{number} ({_COLUMNS})",
                       f"INSERT INTO wh.t{number} VALUES "
                       + ", ".join(f"({key}, {row})" for key, row in enumerate(rows, 1)))


def _kept(server, number, where="TRUE"):
    """The rows, with what a driver would round or bend as text."""
    return server.rows(f"SELECT id, n, u, d, CAST(f AS CHAR), y, HEX(s), HEX(c), HEX(l), HEX(w), e, dt, at, ts, tm,"
                       f" HEX(b), HEX(r) FROM wh.t{number} WHERE {where} ORDER BY id")


def _where():
    return [f"wh.t{number}={condition}" for number, condition in enumerate(_CONDITIONS)]


@test(timeout=300)
def test_rows_are_kept_as_the_server_judges_them(t):
    source, target = t.pair()
    rng = random.Random(f"where {t.first_seed}")
    _make(source, rng)
    server = feeds.Feeds(t).start()
    server.create("some", source, target, include=["wh.*"], where=_where())
    _write(rng, source, 25)
    server.kill9()
    server.start()
    server.wait_copied("some", timeout=120)
    _write(rng, source, 25)
    server.wait_applied("some", source, timeout=120)
    for number, condition in enumerate(_CONDITIONS):
        wanted, found = _kept(source, number, condition), _kept(target, number)
        check(wanted == found, lambda c=condition, w=wanted, f=found:
              f"{c}: missing {[r for r in w if r not in f]}, too much {[r for r in f if r not in w]}")
    check(server.look("some")["filtered"] > 0, "nothing is counted as filtered")


@test(timeout=240)
def test_files_hold_the_rows_that_are_kept(t):
    source = t.server(options={"binlog-row-metadata": "FULL"})
    rng = random.Random(f"where files {t.first_seed}")
    folder = t.path("files")
    source.execute("CREATE DATABASE wh")
    for number in range(len(_CONDITIONS)):
        source.execute(f"CREATE TABLE wh.t{number} ({_COLUMNS})")
    server = feeds.Feeds(t).start()
    server.create("files", source, f"file://{folder}", include=["wh.*"], where=_where())
    server.wait_copied("files")
    _write(rng, source, 40)
    server.wait_applied("files", source, timeout=120)
    for number, condition in enumerate(_CONDITIONS):
        rows = set()
        with open(f"{folder}/wh.t{number}.jsonl", encoding="utf-8") as text:
            for line in map(json.loads, text):
                if line.get("before"):
                    check(line["before"]["id"] in rows, f"{condition}: nothing before {line}")
                    rows.remove(line["before"]["id"])
                if line.get("after"):
                    check(line["after"]["id"] not in rows, f"{condition}: there already: {line}")
                    rows.add(line["after"]["id"])
        wanted = {row[0] for row in source.rows(f"SELECT id FROM wh.t{number} WHERE {condition}")}
        check(rows == wanted, f"{condition}: {rows ^ wanted}")
    check(server.look("files")["filtered"] > 0, "nothing is counted as filtered")


@test(timeout=120)
def test_rows_whose_deletes_are_left_out_stay(t):
    """And a row that comes again under their key takes their place."""
    source, target = t.pair()
    source.execute("CREATE DATABASE kept", "CREATE TABLE kept.t (id INT PRIMARY KEY, v INT)",
                   "CREATE TABLE kept.log (line VARCHAR(20))",
                   "CREATE TABLE kept.fresh (id INT PRIMARY KEY, v INT)",
                   "INSERT INTO kept.t VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO kept.log VALUES ('a'), ('b')")
    server = feeds.Feeds(t).start()
    server.create("kept", source, target, include=["kept.*"],
                  skip=["kept.t=delete", "kept.log=delete,update", "kept.fresh=insert"])
    server.wait_copied("kept")
    source.execute("DELETE FROM kept.t WHERE id < 3", "INSERT INTO kept.t VALUES (1, 10)",
                   "UPDATE kept.t SET v = 30 WHERE id = 3", "UPDATE kept.t SET id = 2 WHERE id = 3",
                   "DELETE FROM kept.log WHERE line = 'a'", "UPDATE kept.log SET line = 'c'",
                   "INSERT INTO kept.log VALUES ('d')", "INSERT INTO kept.fresh VALUES (1, 1), (2, 1)",
                   "UPDATE kept.fresh SET v = 5 WHERE id = 2", "DELETE FROM kept.fresh WHERE id = 1")
    server.wait_applied("kept", source)
    check(target.rows("SELECT id, v FROM kept.t ORDER BY id") == [(1, 10), (2, 30)],
          f"{target.rows('SELECT * FROM kept.t')}")
    check(sorted(target.rows("SELECT line FROM kept.log")) == [("a",), ("b",), ("d",)],
          f"{target.rows('SELECT * FROM kept.log')}")
    check(target.rows("SELECT id, v FROM kept.fresh") == [(2, 5)], f"{target.rows('SELECT * FROM kept.fresh')}")
    # Two deletes, one delete and one update of the log, two inserts.
    check(server.look("kept")["filtered"] == 6, f"{server.look('kept')['filtered']} filtered")
    _status, metrics = server.run.call("GET", "/metrics")
    check('wherry_feed_filtered{feed="kept"} 6' in metrics, "the metric")
    # What is wanted of a table that is followed does not change.
    server.call("POST", "/feeds/kept/pause")
    wait_until(lambda: not server.look("kept")["running"], 20, "the pause")
    server.call("PATCH", "/feeds/kept", {"skip": None})
    server.call("POST", "/feeds/kept/resume")
    wait_until(lambda: server.look("kept")["state"] == "failed", 20, "the refusal")
    error = server.look("kept")["error"]["message"]
    check("cannot change" in error and "kept." in error, error)


@test(timeout=120)
def test_left_behind_values_of_other_unique_keys_give_way(t):
    source, target = t.pair()
    table = "CREATE TABLE kept.t (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL UNIQUE)"
    for one in (source, target):
        one.execute("CREATE DATABASE kept", table, "INSERT INTO kept.t VALUES (1, 'a'), (2, 'b')")
    server = feeds.Feeds(t).start()
    server.create("copied", source, target, include=["kept.*"], skip=["kept.t=delete"], existing="use")
    wait_until(lambda: server.look("copied")["state"] == "failed", 20, "the refusal")
    error = server.look("copied")["error"]["message"]
    check("kept.t" in error and "unique key" in error, error)
    server.call("DELETE", "/feeds/copied")
    wait_until(lambda: not server.call("GET", "/feeds")["feeds"], 20, "the removal")
    server.create("kept", source, target, include=["kept.*"], skip=["kept.t=delete"], existing="use", start="now")
    server.wait_copied("kept")
    source.execute("DELETE FROM kept.t WHERE id = 1", "INSERT INTO kept.t VALUES (3, 'a')",
                   "DELETE FROM kept.t WHERE id = 2")
    server.wait_applied("kept", source)
    check(target.rows("SELECT id, name FROM kept.t ORDER BY id") == [(2, "b"), (3, "a")],
          f"{target.rows('SELECT * FROM kept.t')}")


def _failure(server, name):
    wait_until(lambda: server.look(name)["state"] == "failed", 30, f"{name} to fail")
    return server.look(name)["error"]["message"]


@test(timeout=120)
def test_what_cannot_be_judged_stops_the_feed(t):
    source, target = t.pair()
    source.execute("CREATE DATABASE wh", "CREATE TABLE wh.a (id INT PRIMARY KEY, v INT, s VARCHAR(10) CHARACTER SET"
                   " utf8mb4 COLLATE utf8mb4_general_ci, t TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci)",
                   "INSERT INTO wh.a VALUES (1, 1, 'x', 'x')")
    server = feeds.Feeds(t).start()
    refused = server.call("POST", "/feeds", {"name": "bad", "source": source.source_uri, "sink": target.target_uri,
                                             "where": ["wh.a=v >"]}, expect=(400,))
    check("where" in json.dumps(refused), f"{refused}")
    server.create("column", source, target, include=["wh.*"], where=["wh.a=price > 1"])
    error = _failure(server, "column")
    check("wh.a" in error and "`price`" in error, error)
    server.create("minimal", source, target, include=["wh.*"], where=["wh.a=v > 0"], rename=["wh=m"])
    server.create("umlaut", source, target, include=["wh.*"], where=["wh.a=s = 'x'"], rename=["wh=n"])
    for name in ("minimal", "umlaut"):
        server.wait_copied(name)
    source.execute("INSERT INTO wh.a VALUES (2, 1, 'ö', 'x')")
    error = _failure(server, "umlaut")
    check("wh.a" in error and "`s`" in error and "BINARY" in error, error)
    source.execute("SET SESSION binlog_row_image = 'MINIMAL'", "DELETE FROM wh.a WHERE id = 1")
    error = _failure(server, "minimal")
    check("wh.a" in error and "`v`" in error, error)


@test(timeout=120)
def test_a_rename_to_another_condition_stops(t):
    source, target = t.pair()
    source.execute("CREATE DATABASE wh", "CREATE TABLE wh.a (id INT PRIMARY KEY, v INT)",
                   "INSERT INTO wh.a VALUES (1, 1), (2, 2)")
    server = feeds.Feeds(t).start()
    server.create("some", source, target, include=["wh.*"], where=["wh.a=v > 1", "wh.b=v > 1", "wh.c=v > 0"])
    server.wait_copied("some")
    source.execute("RENAME TABLE wh.a TO wh.b", "ALTER TABLE wh.b ADD COLUMN more INT FIRST",
                   "INSERT INTO wh.b VALUES (0, 3, 3), (0, 4, 0)")
    server.wait_applied("some", source)
    check(target.rows("SELECT id FROM wh.b ORDER BY id") == [(2,), (3,)], f"{target.rows('SELECT * FROM wh.b')}")
    source.execute("RENAME TABLE wh.b TO wh.c")
    error = _failure(server, "some")
    check("wh.b" in error and "wh.c" in error, error)


@test(timeout=120)
def test_a_copy_of_one_tenant(t):
    source, target = t.pair()
    source.execute("CREATE DATABASE app", "CREATE TABLE app.orders (id INT PRIMARY KEY, tenant INT, v INT)",
                   "CREATE TABLE app.notes (id INT PRIMARY KEY, tenant VARCHAR(10) COLLATE utf8mb4_general_ci)",
                   "CREATE TABLE app.countries (code CHAR(2) PRIMARY KEY)", "INSERT INTO app.countries VALUES ('de')",
                   "INSERT INTO app.orders VALUES " + ", ".join(f"({i}, {i % 5}, 0)" for i in range(500)),
                   "INSERT INTO app.notes VALUES (1, 'acme'), (2, 'Acme'), (3, 'other')")
    options = ("--include", "app.*", "--shard", "orders.tenant=3", "--shard", "app.notes.tenant=ACME")
    run = wherry.start_streaming(t, source, target, *options)
    source.execute("UPDATE app.orders SET tenant = 3 WHERE id IN (5, 6)", "DELETE FROM app.orders WHERE id = 8",
                   "UPDATE app.orders SET tenant = 4 WHERE id = 13", "UPDATE app.orders SET v = 1",
                   "INSERT INTO app.orders VALUES (1000, 3, 0), (1001, 4, 0)")
    run.cutover()
    run.expect(wherry.EXIT_DONE, timeout=60)
    for table, where in (("orders", "tenant = 3"), ("notes", "tenant = 'acme'"), ("countries", "TRUE")):
        wanted = source.rows(f"SELECT * FROM app.{table} WHERE {where} ORDER BY 1")
        check(wanted == target.rows(f"SELECT * FROM app.{table} ORDER BY 1"), f"{table} differs")
    check(target.value("SELECT COUNT(*) FROM app.orders") == 101, "rows of the tenant")
    run = wherry.start_copy(t, source, t.server(t.target_dialect), "--include", "app.orders", "--shard",
                            "orders.owner=3", api=False, cutover="auto")
    run.expect(wherry.EXIT_REFUSED, timeout=60)
    check("app.orders" in run.err + run.out and "`owner`" in run.err + run.out, run.tail())
