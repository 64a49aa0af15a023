"""What redo reaches: its writer beside the ideal of an emulated storage, and a replay beside the
binlog piped into the client."""

import json
import signal
import subprocess
import time

import data
from feed_cases import Figures, guarded
from feeds import FeedServer
from measure import Failed, Meter
from servers import ROOT

WHERRY = ROOT / "build" / "release" / "wherry"
TIMES_THE_PIPE = {"small": 10, "small-nocancel": 10, "batch": 3}  # the goals of a replay


@guarded
def writer(bench):
    """Real time on an emulated storage; what a file of 64 MiB an upload could bring is the ideal."""
    figures = Figures(bench, "redo-writer")
    for _run in range(1 if bench.options.quick else bench.options.runs):
        command = [ROOT / "build" / "release" / "redo_bench"] + ["--quick"] * bench.options.quick
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"redo_bench: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            add_line(figures, json.loads(line))
        print("bench: redo-writer, a run done", flush=True)
    figures.report()


def add_line(figures, line):
    if line["kind"] == "assembly":
        figures.add("assembly, one storage that takes no time", line["mib_per_s"], "MiB/s", ">= 1024")
        return
    store = f"{line['latency_s'] * 1000:g} ms, {line['bandwidth_mib']:g} MiB/s"
    if line["kind"] == "throughput":
        name = f"{store} x {line['uploaders']}"
        figures.add(f"{name}: of the ideal {line['ideal']:.0f} MiB/s", 100 * line["of_ideal"], "%",
                    ">= 90")
        figures.add(f"{name}: times a serial writer", line["mib_per_s"] / max(line["serial"], 0.01), "x")
    else:
        name = f"{store}, sigma {line['sigma']:g}, {line['rate_mib']:g} MiB/s offered: lag"
        figures.add(f"{name} p99", line["p99_s"], "s", f"<= {1.25 * line['bound_s']:.2f}")
        figures.add(f"{name} p50", line["p50_s"], "s")


# A replay: the target stopped before the backlog, the source is not needed any more.


def prepared_redo(bench, dialect, workload):
    """(source, target before the backlog, redo): a feed whose target stood still from the start."""
    source = bench.server(dialect, data.seeded_datadir(dialect, bench.scale))
    target = bench.server(dialect, data.seeded_datadir(dialect, bench.scale))
    storage = bench.folder() / "redo"
    job = bench.job(source, target)
    try:
        server = FeedServer(job).__enter__()
        server.create("all", source, target.uri, start="now", existing="use",
                      include=[f"{data.DATABASE}.*"], **{"redo.storage": f"file://{storage}"})
        server.wait("all", lambda feed: feed["running"] and feed["copied"])
        target.freeze()
        data.run_workload(source, workload, bench.scale)
        wanted = source.binlog_status()[2]
        deadline = time.monotonic() + 300
        while meta(storage)["resolved"]["gtid"] != wanted:
            if time.monotonic() > deadline:
                raise Failed(f"redo stands at {meta(storage)}, not at {wanted}")
            time.sleep(0.2)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        target.thaw()
        source.stop()
        target.stop()
    except BaseException:
        source.kill()
        target.thaw()
        target.kill()
        raise
    return source, target, storage


def meta(storage):
    done = subprocess.run([str(WHERRY), "redo", "meta", "--storage", f"file://{storage}", "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return json.loads(done.stdout)


def wherry_replay(storage):
    def run(job):
        job.tool.run([WHERRY, "redo", "apply", "--storage", f"file://{storage}", "--target",
                      job.target.uri])
    return run


def pipe(job):
    files = [job.source.datadir / name for name, _ in job.source.binlog_files()]
    dump = [job.source.program("binlog"), "--no-defaults", *files]
    job.tool.pipe(dump, [job.target.program("client"), "--no-defaults", *job.target.login()])


def replay_once(bench, folders, keep_identity, peer, differing):
    source, target = (bench.server(*folder, keep_identity=keep_identity) for folder in folders)
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


def replay(bench, dialect, workload, measured, differing):
    """The samples of both ways, for a table of the case."""
    case = f"redo-apply-{dialect}-{workload}"
    results = []
    if not bench.options.peers or "wherry" in bench.options.peers:
        source, target, storage = prepared_redo(bench, dialect, workload)
        folders = ((dialect, source.datadir), (dialect, target.datadir))
        results.append(measured(bench, case, "wherry", lambda: replay_once(
            bench, folders, True, wherry_replay(storage), differing)))
    if not bench.options.peers or "pipe" in bench.options.peers:
        folders = ((dialect, data.worked_datadir(dialect, workload, bench.scale)),
                   (dialect, data.seeded_datadir(dialect, bench.scale)))
        results.append(measured(bench, case, "pipe", lambda: replay_once(
            bench, folders, False, pipe, differing)))
    return results


def print_goal(case, workload, results):
    """How many times faster than the pipe the replay was, by the medians, where both were run."""
    took = {result["peer"]: result["wall_s"]["median"] for result in results if "failed" not in result}
    if not {"wherry", "pipe"} <= took.keys():
        return
    times = took["pipe"] / max(took["wherry"], 1e-9)
    goal = TIMES_THE_PIPE[workload]
    print(f"{case}: {times:.1f} times the pipe, goal >= {goal}"
          f"{'' if times >= goal else ', NOT REACHED'}", flush=True)
