#!/usr/bin/python3
"""Measures Wherry beside its peers, in one run on one machine, and prints ratios.

    bench/run.py all                    everything, both kinds of server
    bench/run.py snapshot --dialect mariadb --peers mydumper2,wherry
    bench/run.py catchup --workload small-nocancel --peers wherry,replica2 --runs 5
    bench/run.py binlog | lag | clean
    bench/run.py log | idle | fan | hot  what feeds cost
    bench/run.py redo                    its writer, and a replay

--quick is a scale for development: it shows that everything works, its figures say nothing. Results
are written to build/bench/CASE.json; build/bench/cache keeps prepared data folders.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import data  # noqa: E402
import feed_cases  # noqa: E402
import lag as lags  # noqa: E402
import peers  # noqa: E402
import redo_cases  # noqa: E402
from measure import Failed, Meter, Tool, summarize  # noqa: E402
from servers import BENCH, available  # noqa: E402


class Bench:
    """One invocation: its options, its scratch folder, and what it found."""

    def __init__(self, options):
        self.options = options
        self.scale = data.QUICK if options.quick else data.FULL
        self.scratch = BENCH / "run"
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.count = 0

    def folder(self):
        self.count += 1
        folder = self.scratch / str(self.count)
        folder.mkdir()
        return folder

    def server(self, dialect, datadir, keep_identity=False):
        server = data.new_server(dialect, self.folder(), self.scale)
        return server.fill_from(datadir, keep_identity).start()

    def job(self, source, target):
        folder = self.folder()
        return peers.Job(source, target, folder, Tool(folder / "tool.log"),
                         extra=self.options.wherry.split())

    def chosen(self, table):
        names = self.options.peers.split(",") if self.options.peers else list(table)
        unknown = [name for name in names if name not in table]
        if unknown:
            raise SystemExit(f"no such peer: {', '.join(unknown)}; there are {', '.join(table)}")
        return {name: table[name] for name in names}


def measured(bench, case, name, run_once):
    """Runs one peer as often as asked; None where it failed. run_once gives a sample."""
    samples = []
    for number in range(bench.options.runs):
        try:
            sample = run_once()
        except Exception as error:  # a peer's failure is a result, not the end of the others
            print(f"bench: {case}, {name}: failed: {error}", flush=True)
            return {"peer": name, "failed": str(error)}
        samples.append(sample)
        print(f"bench: {case}, {name}, run {number + 1}: {sample['wall_s']:.2f} s", flush=True)
    result = {"peer": name, **summarize(samples), "samples": samples}
    result["differ"] = sorted({table for sample in samples for table in sample.get("differ", [])})
    return result


def differing(source, target):
    """Tables whose contents are not the same on both sides."""
    tables = [row[0] for row in source.run(f"SHOW TABLES FROM {data.DATABASE}")]
    left = source.checksums(data.DATABASE, tables)
    right = target.checksums(data.DATABASE, tables)
    return [table for table in tables if left[table] is None or left[table] != right.get(table)]


def snapshot(bench, dialect):
    case = f"snapshot-{dialect}"
    empty = data.empty_datadir(dialect, bench.scale)
    source = bench.server(dialect, data.seeded_datadir(dialect, bench.scale))
    results = []
    try:
        differing(source, source)  # warms the pages
        for name, peer in bench.chosen(peers.SNAPSHOT).items():
            def once(peer=peer):
                target = bench.server(dialect, empty)
                try:
                    job = bench.job(source, target)
                    with Meter({"source": source, "target": target}, job.tool) as meter:
                        peer(job)
                    return {**meter.sample, "notes": job.notes, "differ": differing(source, target)}
                finally:
                    target.remove()
            results.append(measured(bench, case, name, once))
    finally:
        source.remove()
    report(bench, case, results, rows=bench.scale.rows)


def catchup(bench, dialect, workload):
    case = f"catchup-{dialect}-{workload}"
    chosen = bench.chosen(peers.CATCH_UP)
    results = []
    prepared = None  # both of Wherry's own go on from one copy
    for name, peer in chosen.items():
        try:
            if name.startswith("wherry") and prepared is None:
                prepared = prepared_copy(bench, dialect, workload)
        except Exception as error:
            print(f"bench: {case}, {name}: failed: {error}", flush=True)
            results.append({"peer": name, "failed": str(error)})
            continue

        def once(peer=peer, pair=prepared if name.startswith("wherry") else None):
            return catch_up_once(bench, dialect, workload, peer, pair)
        results.append(measured(bench, case, name, once))
    for result in results:
        print_parts(result)
    report(bench, case, results, rows=data.rows_of(workload, bench.scale),
           transactions=data.transactions_of(workload, bench.scale))


def print_parts(result):
    """What a feed's time consists of."""
    parts = [sample["notes"] for sample in result.get("samples", []) if "run_s" in sample["notes"]]
    for note in parts:
        print(f"  {result['peer']}: start {note['start_s']:.2f} s, then {note['run_s']:.2f} s at "
              f"{note['transactions_per_s']:,.0f} transactions/s, stop {note['stop_s']:.2f} s")


def prepared_copy(bench, dialect, workload):
    """A stopped copy and, since then, a backlog at the source: (source folder, target folder)."""
    source = bench.server(dialect, data.seeded_datadir(dialect, bench.scale))
    target = bench.server(dialect, data.empty_datadir(dialect, bench.scale))
    try:
        peers.wherry_until_caught_up(bench.job(source, target))
        data.run_workload(source, workload, bench.scale)
        source.stop()
        target.stop()
    except BaseException:
        source.kill()
        target.kill()
        raise
    return source, target


def catch_up_once(bench, dialect, workload, peer, pair):
    if pair is None:
        source = bench.server(dialect, data.worked_datadir(dialect, workload, bench.scale))
        peers.create_replication_account(source)
        target = bench.server(dialect, data.seeded_datadir(dialect, bench.scale))
    else:
        source, target = (bench.server(dialect, side.datadir, keep_identity=True) for side in pair)
    try:
        for server in (source, target):
            server.checksums(data.DATABASE, data.TABLES)  # warms the pages
        job = bench.job(source, target)
        with Meter({"source": source, "target": target}, job.tool) as meter:
            peer(job)
        return {**meter.sample, "notes": job.notes, "differ": differing(source, target)}
    finally:
        source.remove()
        target.remove()


def binlog(bench, dialect, workload):
    case = f"binlog-{dialect}-{workload}"
    source = bench.server(dialect, data.worked_datadir(dialect, workload, bench.scale))
    results = []
    try:
        size = sum(size for _, size in source.binlog_files())
        for name, peer in bench.chosen(peers.BINLOG).items():
            def once(peer=peer):
                job = bench.job(source, None)
                with Meter({"source": source}, job.tool) as meter:
                    peer(job)
                return {**meter.sample, "notes": job.notes}
            results.append(measured(bench, case, name, once))
    finally:
        source.remove()
    report(bench, case, results, rows=data.rows_of(workload, bench.scale), bytes=size,
           compared="tool_cpu_s")


def replay(bench, dialect, workload):
    """What follows a disaster: the target takes up a backlog from the redo, or from the binlog."""
    case = f"redo-apply-{dialect}-{workload}"
    try:
        results = redo_cases.replay(bench, dialect, workload, measured, differing)
    except Exception as error:
        print(f"bench: {case}: failed: {error}", flush=True)
        return
    report(bench, case, results, rows=data.rows_of(workload, bench.scale),
           transactions=data.transactions_of(workload, bench.scale))
    redo_cases.print_goal(case, workload, results)


def lag(bench, dialect):
    case = f"lag-{dialect}"
    seconds = 5 if bench.options.quick else 20
    chosen = bench.chosen(peers.FOLLOW)
    rate = bench.options.rate or round(0.3 * native_capacity(bench, dialect))
    results = []
    for name, follow in chosen.items():
        def once(name=name, follow=follow):
            return lag_once(bench, dialect, (name, follow), rate, seconds)
        results.append(measured(bench, case, name, once))
    report(bench, case, results, rows=rate * seconds)
    for result in results:
        for sample in result.get("samples", []):
            figures = sample["notes"]
            print(f"  {result['peer']}: p50 {figures['p50_ms']:.1f} ms, p99 {figures['p99_ms']:.1f} ms,"
                  f" max {figures['max_ms']:.1f} ms at {figures['per_s']:,.0f} transactions/s")


def native_capacity(bench, dialect):
    """Transactions a second that a native replica takes while they are made."""
    seeded = data.seeded_datadir(dialect, bench.scale)
    source, target = bench.server(dialect, seeded), bench.server(dialect, seeded)
    try:
        job = bench.job(source, target)
        peers.follow_with_replica(0 if dialect == "mariadb" else 8)(job)
        began = time.monotonic()
        data.run_workload(source, "small", bench.scale)
        peers.wait_for_replica(job)
        capacity = bench.scale.small / (time.monotonic() - began)
        print(f"bench: a native replica takes {capacity:,.0f} transactions/s", flush=True)
        return capacity
    finally:
        source.remove()
        target.remove()


def lag_once(bench, dialect, follower, rate, seconds):
    name, follow = follower
    seeded = data.seeded_datadir(dialect, bench.scale)
    source = bench.server(dialect, seeded)
    target = bench.server(dialect, data.empty_datadir(dialect, bench.scale)
                          if name == "wherry" else seeded)
    try:
        job = bench.job(source, target)
        lags.create_stamp(source)
        stop = follow(job)
        load = lags.SteadyLoad(source, rate).start()
        lags.read_lags(target, 1)  # the first second is not counted
        with Meter({"source": source, "target": target}, job.tool) as meter:
            figures = lags.percentiles(lags.read_lags(target, seconds))
        figures["per_s"] = load.stop()
        stop()
        if not figures["stamps"]:
            raise Failed("no change arrived at the target")
        return {**meter.sample, "notes": figures}
    finally:
        source.remove()
        target.remove()


def report(bench, case, results, compared="wall_s", **amount):
    own = next((r for r in results if r["peer"] == "wherry" and "failed" not in r), None)
    for result in results:
        if own and "failed" not in result:
            result["ratio"] = result[compared]["median"] / max(own[compared]["median"], 1e-9)
    name = case + ("-quick" if bench.options.quick else "")
    document = {"case": case, "scale": bench.scale.name, "amount": amount, "compared": compared,
                "when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "machine": {"cores": os.cpu_count(), "kernel": platform.release()},
                "results": results}
    (BENCH / f"{name}.json").write_text(json.dumps(document, indent=1, default=str) + "\n")
    print_table(case, results, amount)


def print_table(case, results, amount):
    rows = amount["rows"]
    head = ("peer", "runs", "wall s [min-max]", "rows/s", "x wherry", "tool CPU s", "servers CPU s",
            "RSS MB", "load", "remarks")
    lines = [head]
    for result in results:
        if "failed" in result:
            lines.append((result["peer"], "", "failed", "", "", "", "", "", "",
                          result["failed"][:60].replace("\n", " ")))
            continue
        wall = result["wall_s"]
        remarks = []
        if result["differ"]:
            remarks.append("DIFFERS: " + " ".join(result["differ"]))
        if result["left_out"]:
            remarks.append(f"{result['left_out']} disturbed left out")
        if result["all_disturbed"]:
            remarks.append("machine busy")
        lines.append((result["peer"], str(result["runs"]),
                      f"{wall['median']:.2f} [{wall['min']:.2f}-{wall['max']:.2f}]",
                      f"{rows / wall['median']:,.0f}",
                      f"{result['ratio']:.2f}" if "ratio" in result else "",
                      f"{result['tool_cpu_s']['median']:.2f}",
                      " ".join(f"{side} {cpu:.1f}" for side, cpu in result["server_cpu_s"].items()),
                      f"{result['tool_rss_mb']['median']:.0f}",
                      f"{result['load_before']['max']:.1f}", ", ".join(remarks)))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    print(f"\n{case}: " + ", ".join(f"{value:,} {key}" for key, value in amount.items()))
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print(flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0],
                                     epilog="See the head of bench/run.py for examples.")
    parser.add_argument("case", choices=["all", "snapshot", "catchup", "lag", "binlog", "log", "idle",
                                         "fan", "hot", "redo", "clean"],
                        nargs="?", default="all")
    parser.add_argument("--dialect", default="mariadb,mysql")
    parser.add_argument("--workload", default=",".join(data.WORKLOADS))
    parser.add_argument("--peers", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rate", type=int, default=0,
                        help="transactions a second; 0: for lag, 30 %% of what a replica takes")
    parser.add_argument("--tables", type=int, default=5_000, help="for idle, at a server")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--wherry", default="", help="more options for wherry copy")
    return parser.parse_args()


def measure_feeds(bench):
    """Cases without peers."""
    options = bench.options
    chosen = [name for name in ("log", "idle", "fan", "hot") if options.case in ("all", name)]
    dialects = [name for name in options.dialect.split(",") if available(name)]
    for name in chosen:
        if name in ("log", "idle"):
            getattr(feed_cases, name)(bench)
        for dialect in dialects:
            if name == "idle":
                feed_cases.idle_mysql(bench, dialect)
            elif name != "log":
                getattr(feed_cases, name)(bench, dialect)


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers are stopped
    if options.case == "clean":
        shutil.rmtree(BENCH, ignore_errors=True)
        return 0
    BENCH.mkdir(parents=True, exist_ok=True)
    bench = Bench(options)
    workloads = options.workload.split(",")
    unknown = [name for name in workloads if name not in data.WORKLOADS]
    if unknown:
        raise SystemExit(f"no such workload: {', '.join(unknown)}")
    for dialect in options.dialect.split(","):
        if not available(dialect):
            print(f"bench: skipped {dialect}: no server here")
            continue
        if options.case in ("all", "snapshot"):
            snapshot(bench, dialect)
        for workload in workloads:
            if options.case in ("all", "catchup"):
                catchup(bench, dialect, workload)
        for workload in workloads:
            if options.case == "binlog" or (options.case == "all" and workload != "small-nocancel"):
                binlog(bench, dialect, workload)
        if options.case in ("all", "lag"):
            lag(bench, dialect)
        for workload in workloads:
            if options.case == "redo" or (options.case == "all" and workload != "small-nocancel"):
                replay(bench, dialect, workload)
    if options.case in ("all", "redo"):
        redo_cases.writer(bench)
    measure_feeds(bench)
    shutil.rmtree(bench.scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
