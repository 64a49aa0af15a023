"""What feeds cost: the log itself, idle tables, many feeds of one source, a table beside a hot one.

No peers here: the cases compare Wherry with itself (one feed and 64, a table with a hot neighbour
and without), and print each figure with its median, its extremes and its goal.
"""

import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import threading
import time

import data
import lag as lags
from feeds import FeedServer
from measure import Failed
from servers import BENCH, ROOT

FAN_FEEDS = 64
FAN_DATABASE = "fan"


class Figures:
    """The figures of one case: add() as often as there are runs, then report()."""

    def __init__(self, bench, case):
        self.bench = bench
        self.case = case
        self.rows = {}

    def add(self, what, value, unit, goal=""):
        row = self.rows.setdefault(what, {"unit": unit, "goal": goal, "values": [], "load": []})
        row["values"].append(value)
        row["load"].append(os.getloadavg()[0])

    def median(self, what):
        return statistics.median(self.rows[what]["values"])

    def report(self):
        name = self.case + ("-quick" if self.bench.options.quick else "")
        document = {"case": self.case, "scale": self.bench.scale.name,
                    "when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                    "machine": {"cores": os.cpu_count(), "kernel": platform.release()},
                    "figures": self.rows}
        (BENCH / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")
        lines = [("figure", "median [min-max]", "unit", "goal", "runs", "load")]
        for what, row in self.rows.items():
            values = row["values"]
            lines.append((what, f"{statistics.median(values):,.2f} "
                          f"[{min(values):,.2f}-{max(values):,.2f}]", row["unit"], row["goal"],
                          str(len(values)), f"{max(row['load']):.1f}"))
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        print(f"\n{self.case}:")
        for line in lines:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
        print(flush=True)


def guarded(case):
    """A case that fails is a result, not the end of the others."""
    def run(bench, *arguments):
        try:
            case(bench, *arguments)
        except Exception as error:
            print(f"bench: {case.__name__}: failed: {error}", flush=True)
    return run


def micro(bench, program, *arguments):
    """The lines that a micro benchmark prints; its folder is removed."""
    folder = bench.folder()
    try:
        command = [ROOT / "build" / "release" / program, folder, *arguments]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{program}: {done.stderr.strip()}")
        return done.stdout.splitlines()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# The log alone: 200-byte rows, ten to a transaction.


@guarded
def log(bench):
    figures = Figures(bench, "log")
    quick = bench.options.quick
    for mib in [128] * bench.options.runs if quick else [1024] * bench.options.runs + [10240]:
        large = mib == 10240
        for line in micro(bench, "store_bench", mib):
            what, wall, cpu, rate, rate_cpu = re.fullmatch(
                r"(\w+)\s+([\d.]+) s\s+([\d.]+) CPU s\s+(\d+) MB/s\s+(\d+) MB per CPU s", line).groups()
            if what == "append" and not large:
                figures.add("append", float(rate_cpu), "MB per CPU s", ">= 400")
                figures.add("append, wall", float(rate), "MB/s")
            elif what == "scan" and not large:
                figures.add("scan", float(rate_cpu), "MB per CPU s", ">= 2000")
            elif what == "open":
                figures.add(f"open {mib / 1024:g} GiB, cold", float(wall), "s", "< 2" if large else "")
        print(f"bench: log, {mib} MiB done", flush=True)
    figures.report()


# Idle tables.


@guarded
def idle(bench):
    figures = Figures(bench, "idle")
    tables = 5_000 if bench.options.quick else 100_000
    for _ in range(bench.options.runs):
        for line in micro(bench, "table_feed_bench", tables):
            if match := re.fullmatch(r"(.+?)\s+([\d.]+) ns a transaction, .*", line):
                figures.add(f"walk, {match.group(1)}", float(match.group(2)), "ns a transaction")
            elif match := re.fullmatch(r"idle\s+([\d.]+) % of a core, (\d+) tables, (\d+) MB", line):
                figures.add(f"idle, {int(match.group(2)):,} tables, table mode",
                            float(match.group(1)), "% of a core", "< 1")
                figures.add("memory", float(match.group(3)), "MB")
        print("bench: idle, one run", flush=True)
    figures.report()


def tables_datadir(dialect, scale, count):
    """A server with `count` tables of one row."""
    def make(folder):
        server = data.new_server(dialect, folder, scale).fill_from(
            data.empty_datadir(dialect, scale)).start()
        print(f"bench: creating {count} tables, {dialect}", flush=True)

        def create(part):
            with server.connect() as connection, connection.cursor() as cursor:
                cursor.execute("SET SESSION sql_log_bin = 0")
                for number in range(part, count, 2):
                    cursor.execute(f"CREATE TABLE many.t{number} (id INT PRIMARY KEY, v INT)")

        server.run("SET SESSION sql_log_bin = 0", "CREATE DATABASE many")
        data.run_together([lambda part=part: create(part) for part in range(2)])
        return server
    return data.cached(f"{dialect}-tables-{count}", scale, make)


@guarded
def idle_mysql(bench, dialect):
    """A feed into a MySQL server that follows many tables, while nothing happens."""
    figures = Figures(bench, f"idle-{dialect}")
    count = 500 if bench.options.quick else bench.options.tables
    folder = tables_datadir(dialect, bench.scale, count)
    source, target = bench.server(dialect, folder), bench.server(dialect, folder)
    try:
        began = time.monotonic()
        with FeedServer(bench.job(source, target)) as server:
            server.create("many", source, target.uri, include=["many.*"], start="now",
                          existing="use")
            server.create("table-mode", source, "blackhole://", include=["many.*"])
            server.wait_all(lambda feed: feed["checkpoint"] and feed["running"])
            figures.add("start", time.monotonic() - began, "s")
            time.sleep(2)
            for _ in range(bench.options.runs):
                figures.add(f"idle, {count:,} tables, into {dialect} and in table mode",
                            100 * share_of_core(server, 2 if bench.options.quick else 5),
                            "% of a core", "< 1")
        figures.report()
    finally:
        source.remove()
        target.remove()


def share_of_core(server, seconds):
    before, began = server.cpu, time.monotonic()
    time.sleep(seconds)
    return (server.cpu - before) / (time.monotonic() - began)


# Many feeds of one source, each with a table of its own.


def fan_procedure():
    arms = "\n".join(f"      WHEN {number} THEN INSERT INTO t{number} (v, c) VALUES "
                     f"(i, CONCAT('row ', i, REPEAT('x', 80)));" for number in range(FAN_FEEDS))
    return f"""CREATE PROCEDURE fan(conn INT, first INT, transactions INT)
BEGIN
  DECLARE i INT DEFAULT first;
  WHILE i < first + transactions DO
    CASE (4 * i + conn) % {FAN_FEEDS}
{arms}
    END CASE;
    SET i = i + 1;
  END WHILE;
END"""


def fan_datadir(dialect, scale):
    """64 tables, and a backlog of transactions that insert into them in turn."""
    def make(folder):
        server = data.new_server(dialect, folder, scale).fill_from(
            data.empty_datadir(dialect, scale)).start()
        print(f"bench: running workload fan, {dialect}", flush=True)
        create = [f"CREATE TABLE t{number} (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT, "
                  "c VARCHAR(200))" for number in range(FAN_FEEDS)]
        server.run("SET SESSION sql_log_bin = 0", f"CREATE DATABASE {FAN_DATABASE}",
                   f"USE {FAN_DATABASE}", *create, fan_procedure())
        server.reset_binlog()
        each = scale.small // data.CONNECTIONS
        data.run_together([
            lambda conn=conn: server.run(f"CALL fan({conn}, 0, {each})", database=FAN_DATABASE)
            for conn in range(data.CONNECTIONS)])
        return server
    return data.cached(f"{dialect}-fan", scale, make)


def bytes_sent(server):
    return int(server.run("SHOW GLOBAL STATUS LIKE 'Bytes_sent'")[0][1])


def dumps(server):
    return sum("Binlog Dump" in str(row[4]) for row in server.run("SHOW PROCESSLIST"))


def fan_once(bench, dialect, feeds, figures):
    """A backlog, then a steady load, into `feeds` feeds that share the 64 tables."""
    source = bench.server(dialect, fan_datadir(dialect, bench.scale))
    seconds = 3 if bench.options.quick else 10
    name = f"{feeds} feed{'s' if feeds > 1 else ''}"
    try:
        files = source.binlog_files()
        size = sum(size for _, size in files)
        sent = bytes_sent(source)
        with FeedServer(bench.job(source, None)) as server:
            for number in range(feeds):
                tables = range(number, FAN_FEEDS, feeds)
                server.create(f"f{number}", source, "blackhole://", start=f"{files[0][0]}:4",
                              include=[f"{FAN_DATABASE}.t{table}" for table in tables])
            wanted = source.binlog_status()[2]
            server.wait_all(lambda feed: feed["gtid"] == wanted)
            figures.add(f"{name}: CPU of the backlog", server.cpu, "CPU s")
            figures.add(f"{name}: sent by the source", (bytes_sent(source) - sent) / size,
                        "x the binlog", "~1")
            figures.add(f"{name}: binlog dumps", dumps(source), "", "1")
            load = lags.SteadyLoad(source, bench.options.rate or 2000, "fan", FAN_DATABASE,
                                   stamps=False).start()
            time.sleep(1)
            figures.add(f"{name}: steady load", 100 * share_of_core(server, seconds), "% of a core")
            load.stop()
            time.sleep(1)
            figures.add(f"{name}: idle", 100 * share_of_core(server, seconds / 2), "% of a core")
            changes = sum(feed["changes"] for feed in server.feeds().values())
            rows = sum(source.one(f"SELECT COUNT(*) FROM {FAN_DATABASE}.t{table}")
                       for table in range(FAN_FEEDS))
            if changes != rows:
                raise Failed(f"{name}: {changes} changes of {rows} rows arrived")
    finally:
        source.remove()


@guarded
def fan(bench, dialect):
    figures = Figures(bench, f"fan-{dialect}")
    for number in range(bench.options.runs):
        for feeds in (1, FAN_FEEDS):
            fan_once(bench, dialect, feeds, figures)
        print(f"bench: fan-{dialect}, run {number + 1}", flush=True)
    for what in ("CPU of the backlog", "steady load"):
        one, many = (figures.median(f"{count}: {what}") for count in ("1 feed", f"{FAN_FEEDS} feeds"))
        figures.add(f"{FAN_FEEDS} feeds : 1 feed, {what}", many / max(one, 1e-9), "x")
        if what == "CPU of the backlog":
            figures.add("1 feed: a transaction", one / bench.scale.small * 1e6, "us")
            figures.add("one more feed: a transaction of others",
                        (many - one) / (FAN_FEEDS - 1) / bench.scale.small * 1e6, "us")
    figures.report()


# A calm table beside a hot one.


class HotLoad:
    """One connection that inserts single rows at full speed until stop()."""

    def __init__(self, source):
        self.source = source
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.rows = 0

    def start(self):
        self.began = time.monotonic()
        self.thread.start()
        return self

    def stop(self):
        self.stopping.set()
        self.thread.join()
        return self.rows / (time.monotonic() - self.began)

    def work(self):
        with self.source.connect(data.DATABASE) as connection, connection.cursor() as cursor:
            while not self.stopping.is_set():
                cursor.execute("CALL heat(500)")
                self.rows += 500


HEAT = """CREATE PROCEDURE heat(transactions INT)
BEGIN
  DECLARE i INT DEFAULT 0;
  WHILE i < transactions DO
    INSERT INTO hot (c) VALUES (REPEAT('h', 150));
    SET i = i + 1;
  END WHILE;
END"""


def stamps_in(path, seconds):
    """The age in milliseconds of each stamp when its line was first seen in the file."""
    ages = []
    end = time.monotonic() + seconds
    with open(path, encoding="utf-8") as file:
        file.seek(0, os.SEEK_END)
        rest = ""
        while time.monotonic() < end:
            rest += file.read()
            now = time.time_ns()
            *lines, rest = rest.split("\n")
            for line in lines:
                if after := json.loads(line).get("after"):
                    ages.append((now - int(after["sent"])) / 1e6)
            time.sleep(0.001)
    return ages


def hot_once(bench, dialect, hot, include):
    """Lags of the calm table. hot: whether the other one is written to at all."""
    source = bench.server(dialect, data.empty_datadir(dialect, bench.scale))
    try:
        source.run(f"CREATE DATABASE {data.DATABASE}", f"USE {data.DATABASE}",
                   "CREATE TABLE hot (id BIGINT AUTO_INCREMENT PRIMARY KEY, c VARCHAR(200))", HEAT)
        lags.create_stamp(source)
        job = bench.job(source, None)
        folder = job.folder / "sink"
        with FeedServer(job) as server:
            server.create("calm", source, f"file://{folder}", include=include)
            server.wait("calm", lambda feed: feed["gtid"] is not None)
            load = lags.SteadyLoad(source, 1, connections=0).start()
            heat = HotLoad(source).start() if hot else None
            path = folder / f"{data.DATABASE}.stamp.jsonl"
            deadline = time.monotonic() + 10
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(1)
            figures = lags.percentiles(stamps_in(path, 3 if bench.options.quick else 10))
            load.stop()
            figures["hot_per_s"] = heat.stop() if heat else 0
        return figures
    finally:
        source.remove()


@guarded
def hot(bench, dialect):
    figures = Figures(bench, f"hot-{dialect}")
    cases = {"calm alone": (False, ["bench.*"]), "hot beside it, not in the feed": (True, ["bench.stamp"]),
             "hot beside it": (True, ["bench.*"])}
    for number in range(bench.options.runs):
        for name, (heated, include) in cases.items():
            found = hot_once(bench, dialect, heated, include)
            figures.add(f"{name}: p50", found["p50_ms"], "ms")
            figures.add(f"{name}: p99", found["p99_ms"], "ms")
            if heated:
                figures.add(f"{name}: hot rows", found["hot_per_s"], "a second")
        print(f"bench: hot-{dialect}, run {number + 1}", flush=True)
    calm, outside, inside = (figures.median(f"{name}: p99") for name in cases)
    figures.add("p99: hot in the feed : hot outside", inside / outside, "x", "<= 2")
    figures.add("p99: hot in the feed : calm alone", inside / calm, "x")
    figures.report()
