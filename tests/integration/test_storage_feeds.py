"""Feeds in table mode: files of JSON lines, in which each change stands once, and the blackhole."""
import collections
import json
import os
import random

from harness import data, feeds
from harness.framework import check, test, wait_until


_NAMES = {"binlog-row-metadata": "FULL"}


def _lines(folder, table):
    path = os.path.join(folder, f"{table}.jsonl")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as text:
        return [json.loads(line) for line in text]


def _rows(lines, key):
    """The table that the changes add up to; each must find what the one before left."""
    rows = {}
    for line in lines:
        if "op" not in line:
            continue
        before, after = line.get("before"), line.get("after")
        if before is not None:
            check(rows.pop(tuple(before[c] for c in key), None) is not None, f"nothing before {line}")
        if after is not None:
            at = tuple(after[c] for c in key)
            check(at not in rows, f"there already: {line}")
            rows[at] = after
    return rows


@test(timeout=240)
def test_each_change_once_in_a_file(t):
    """Killed and stopped at random moments: no change is missing in a file or stands there twice."""
    source = t.server(options=_NAMES)
    data.numbers(source, rows=1, tables=3)
    folder = t.path("files")
    server = feeds.Feeds(t).start()
    server.create("files", source, f"file://{folder}", include=["bulk.*"])
    server.wait_copied("files")
    rng = random.Random(f"files {t.first_seed}")
    wanted = collections.Counter()
    for number in range(t.rounds or 6):
        for _ in range(30):
            table, key = f"t{rng.randint(1, 3)}", 100 + len(wanted)
            wanted[(table, key)] += 1
            source.execute(f"INSERT INTO bulk.{table} VALUES ({key}, 1, 'x')",
                           f"UPDATE bulk.{table} SET v = v + 1 WHERE id = {key}")
        if number % 3 == 2:
            server.stop()
        else:
            server.kill9()
        server.start()
    source.execute("ALTER TABLE bulk.t1 ADD COLUMN more INT", "UPDATE bulk.t1 SET more = 1 WHERE id > 99",
                   "RENAME TABLE bulk.t1 TO bulk.t9, bulk.t2 TO bulk.t1, bulk.t9 TO bulk.t2",
                   "DELETE FROM bulk.t2")
    server.wait_applied("files", source)
    found = collections.Counter()
    for number in (1, 2, 3):
        lines = _lines(folder, f"bulk.t{number}")
        marks = [(line["cseq"], line.get("row")) for line in lines]
        check(marks == sorted(set(marks)), f"t{number}: out of order or twice: {marks}")
        for line in lines:
            if line.get("op") == "insert":
                found[(f"t{number}", line["after"]["id"])] += 1
    check(found == wanted, lambda: f"missing {wanted - found}, too much {found - wanted}")


@test(timeout=120)
def test_files_add_up_to_the_tables(t):
    source = t.server(options=_NAMES)
    folder = t.path("files")
    server = feeds.Feeds(t).start()
    server.create("files", source, f"file://{folder}", include=["rnd.*"])
    server.create("nothing", source, "blackhole://?latency=20ms", include=["rnd.*"])
    for name in ("files", "nothing"):
        server.wait_copied(name)
    source.execute("CREATE DATABASE plain", "CREATE DATABASE IF NOT EXISTS rnd",
                   "CREATE TABLE rnd.pairs (a INT, b VARCHAR(20), v INT, PRIMARY KEY (a, b))")
    rng = random.Random(t.first_seed)
    for _ in range(300):
        a, b = rng.randint(1, 20), rng.choice("xyz")
        source.execute(rng.choice((
            f"REPLACE INTO rnd.pairs VALUES ({a}, '{b}', {rng.randint(1, 9)})",
            f"DELETE FROM rnd.pairs WHERE a = {a}",
            f"UPDATE IGNORE rnd.pairs SET a = a + 1 WHERE a = {a}")))
    for name in ("files", "nothing"):
        server.wait_applied(name, source)
    rows = _rows(_lines(folder, "rnd.pairs"), ("a", "b"))
    there = source.rows("SELECT a, b, v FROM rnd.pairs")
    check(sorted((r["a"], r["b"], r["v"]) for r in rows.values()) == sorted(there), "the rows differ")
    check(server.look("nothing")["changes"] == server.look("files")["changes"], "changes differ")
    gauges = server.look("files")["gauges"]
    check(gauges.get("inflight_bytes") == 0, f"bytes are left in flight: {gauges}")
    _status, metrics = server.run.call("GET", "/metrics")
    for line in ('wherry_inflight_bytes{feed="files"} 0',
                 'wherry_inflight_blocked_seconds_bucket{feed="files",le="+Inf"}',
                 'wherry_dispatchers_blocked_own{feed="nothing"} 0'):
        check(line in metrics, f"{line} is not in the metrics")


@test()
def test_a_source_without_names_in_its_table_maps_is_refused(t):
    source = t.server()
    data.shop(source)
    server = feeds.Feeds(t).start()
    server.create("files", source, f"file://{t.path('files')}", include=["shop.*"])
    wait_until(lambda: server.look("files")["state"] in ("normal", "failed"), 20, "a state")
    server.wait_copied("files")
    source.execute("INSERT INTO shop.words VALUES ('new', 1)")
    wait_until(lambda: server.look("files")["state"] == "failed", 30, "the refusal")
    error = json.dumps(server.look("files")["error"])
    check("binlog_row_metadata" in error, error)
