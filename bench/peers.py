"""The programs that are measured: Wherry and its peers, each as one function from a job to nothing.

A peer does the whole of its job between the start and the end of a Meter. What a peer needs beside
its servers (a folder for files) it gets from the job.
"""

import json
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pymysql
from data import DATABASE, TABLES, run_together
from feeds import WHERRY, FeedServer
from lag import create_stamp
from measure import Failed
from servers import ROOT


@dataclass
class Job:
    """One run of one peer."""
    source: object
    target: object
    folder: Path
    tool: object
    extra: list = field(default_factory=list)  # more options for wherry
    notes: dict = field(default_factory=dict)  # what the peer wants to be reported


def clean_folder(job):
    folder = job.folder / "files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


# Snapshots: every table of the database, from a quiet source to an empty target.


def wherry_options(job, cutover, verify="none"):
    return ["--source", job.source.uri, "--target", job.target.uri, "--include", f"{DATABASE}.*",
            "--cutover", cutover, "--verify", verify, "--progress", "none",
            "--report", job.folder / "report.json", "--json", *job.extra]


def read_report(job):
    path = job.folder / "report.json"
    if not path.exists():
        return
    try:
        report = json.loads(path.read_text())
    except ValueError:
        return
    for key in ("phases", "seconds", "downtime"):
        if key in report:
            job.notes[key] = report[key]


def wherry_snapshot(verify):
    def run(job):
        job.tool.run([WHERRY, "copy", *wherry_options(job, "auto", verify)])
        read_report(job)
    return run


def dump_pipe(job):
    """One dump into one client."""
    dump = [job.source.program("dump"), "--no-defaults", *job.source.login(),
            "--single-transaction", "--quick", "--databases", DATABASE]
    if job.source.dialect == "mysql":
        dump.append("--set-gtid-purged=OFF")
    job.tool.pipe(dump, [job.target.program("client"), "--no-defaults", *job.target.login()])


def mydumper_and_myloader(threads):
    def run(job):
        folder = clean_folder(job)
        socket = ["-u", "root", "-t", str(threads)]
        job.tool.run(["mydumper", *socket, "-S", job.source.socket, "-B", DATABASE, "-o", folder])
        started = time.monotonic()
        job.tool.run(["myloader", *socket, "-S", job.target.socket, "-d", folder, "-e"])
        job.notes["load_s"] = time.monotonic() - started
    return run


def outfile_and_load(at_once):
    """Files written and read by the servers themselves: a floor, not a tool."""
    def charset(dialect, table):
        # MySQL refuses binary for a table with a JSON column; MariaDB needs it for bytes.
        if dialect == "mariadb":
            return "binary"
        return "utf8mb4" if table == "mixed" else "latin1"

    def run(job):
        folder = clean_folder(job)
        folder.chmod(0o777)
        waiting = [*reversed(TABLES)]
        dialect = job.source.dialect
        job.target.run(f"CREATE DATABASE {DATABASE}")
        for table in TABLES:
            create = job.source.run(f"SHOW CREATE TABLE {DATABASE}.{table}")[0][1]
            job.target.run(f"USE {DATABASE}", create)

        def read(table):
            job.source.run(f"SELECT * INTO OUTFILE '{folder}/{table}' CHARACTER SET "
                           f"{charset(dialect, table)} FROM {DATABASE}.{table}")

        def load(table):
            job.target.run("SET SESSION unique_checks = 0, foreign_key_checks = 0",
                           f"LOAD DATA INFILE '{folder}/{table}' INTO TABLE {DATABASE}.{table} "
                           f"CHARACTER SET {charset(dialect, table)}")

        for work in (read, load):
            left = list(waiting)

            def lane(work=work, left=left):
                while True:
                    try:
                        table = left.pop()
                    except IndexError:
                        return
                    work(table)

            started = time.monotonic()
            run_together([lane] * at_once)
            if work is load:
                job.notes["load_s"] = time.monotonic() - started
    return run


SNAPSHOT = {
    "wherry": wherry_snapshot("none"),
    "wherry verified": wherry_snapshot("checksum"),
    "mydumper2": mydumper_and_myloader(2),
    "mydumper4": mydumper_and_myloader(4),
    "dump": dump_pipe,
    "floor1": outfile_and_load(1),
    "floor2": outfile_and_load(2),
}


# Catching up: the target has the seeded data, the source has a backlog of transactions.


def wherry_until_caught_up(job):
    """Copies, waits until nothing is left to follow, and stops; the copy can be resumed later. Not
    measured: it only prepares what wherry_catch_up starts from."""
    wherry_stop(job, wherry_follow(job))


def wherry_follow(job):
    """A copy that goes on following; it is past its snapshot when this returns."""
    process = job.tool.start([WHERRY, "copy", *wherry_options(job, "never")])
    wait_for_rows(job, process)
    return process


def wherry_stop(job, process):
    process.send_signal(signal.SIGTERM)
    job.tool.wait(process, accepted=(4,))


def wait_for_rows(job, process):
    """Until the target has as many rows as the source, and the copy says so in its progress."""
    counts = [f"SELECT COUNT(*) FROM {DATABASE}.{table}" for table in TABLES]
    wanted = [job.source.one(count) for count in counts]
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Failed("wherry ended before it had caught up: " + job.tool.last_words())
        try:
            if [job.target.one(count) for count in counts] == wanted:
                time.sleep(2)  # the ranges of the last chunks are marked done with their rows
                return
        except pymysql.err.Error:  # the tables are not there yet
            pass
        time.sleep(0.2)
    raise Failed("wherry did not copy everything in 900 s")


def wherry_catch_up(job):
    job.tool.run([WHERRY, "copy", *wherry_options(job, "auto"), "--resume"])
    read_report(job)


def create_replication_account(source):
    """The account is the source's own: it must not become a part of the backlog."""
    source.run("SET SESSION sql_log_bin = 0", "CREATE USER repl@'%' IDENTIFIED BY 'repl'",
               "GRANT REPLICATION SLAVE ON *.* TO repl@'%'")


def start_replica(job, threads):
    if job.target.dialect == "mariadb":
        job.target.run(f"SET GLOBAL slave_parallel_threads = {threads}",
                       "SET GLOBAL slave_parallel_mode = 'optimistic'",
                       f"CHANGE MASTER TO master_host='127.0.0.1', master_port={job.source.port}, "
                       "master_user='repl', master_password='repl', master_use_gtid=slave_pos",
                       "START SLAVE")
    else:
        job.target.run(f"SET GLOBAL replica_parallel_workers = {threads}",
                       "CHANGE REPLICATION SOURCE TO source_host='127.0.0.1', "
                       f"source_port={job.source.port}, source_user='repl', "
                       "source_password='repl', source_auto_position=1, get_source_public_key=1",
                       "START REPLICA")


def wait_for_replica(job):
    wanted = job.source.binlog_status()[2]
    if job.target.dialect == "mariadb":
        wait, status = f"SELECT MASTER_GTID_WAIT('{wanted}', 900)", "SHOW SLAVE STATUS"
    else:
        wait, status = f"SELECT WAIT_FOR_EXECUTED_GTID_SET('{wanted}', 900)", "SHOW REPLICA STATUS"
    if job.target.one(wait) != 0:
        last_error = 19
        raise Failed(f"the replica did not catch up: {job.target.run(status)[0][last_error]}")


def replica(threads):
    def run(job):
        start_replica(job, threads)
        wait_for_replica(job)
    return run


def wherry_feed_catch_up(job):
    """The same through the log: `wherry serve` with a feed from where the copy stopped."""
    began = time.monotonic()
    # The copy stopped before anything was logged at the source.
    begin = f"{job.source.binlog_files()[0][0]}:4"
    wanted = job.source.binlog_status()[2]
    with FeedServer(job) as server:
        server.create("all", job.source, job.target.uri, start=begin, include=[f"{DATABASE}.*"],
                      existing="use", memory="1GiB")
        first = server.wait("all", lambda feed: feed["transactions"])
        job.notes["start_s"] = time.monotonic() - began
        last = server.wait("all", lambda feed: feed["gtid"] == wanted)
        job.notes["run_s"] = time.monotonic() - began - job.notes["start_s"]
        done = last["transactions"] - first["transactions"]
        job.notes["transactions_per_s"] = done / max(job.notes["run_s"], 1e-9)
    job.notes["stop_s"] = time.monotonic() - began - job.notes["start_s"] - job.notes["run_s"]


CATCH_UP = {"wherry": wherry_catch_up, "wherry feed": wherry_feed_catch_up,
            "replica0": replica(0), "replica2": replica(2), "replica8": replica(8)}


# Following a steady load: each starts, and is given back what stops it.


def follow_with_wherry(job):
    process = wherry_follow(job)
    return lambda: wherry_stop(job, process)


def follow_with_replica(threads):
    def start(job):
        create_replication_account(job.source)
        start_replica(job, threads)
        wait_for_replica(job)
        return lambda: None
    return start


def follow_with_feed(job):
    """A feed from now on into a target that holds the same rows."""
    create_stamp(job.target)
    server = FeedServer(job).__enter__()
    server.create("all", job.source, job.target.uri, start="now", include=[f"{DATABASE}.*"],
                  existing="use")
    server.wait("all", lambda feed: feed["gtid"])
    return server.stop


FOLLOW = {"wherry": follow_with_wherry, "wherry feed": follow_with_feed, "replica0": follow_with_replica(0),
          "replica2": follow_with_replica(2), "replica8": follow_with_replica(8)}


# Reading a binlog, as CPU: from the server, and from its files.


def binlog_reader(*options, remote=False):
    def run(job):
        files = [name for name, _ in job.source.binlog_files()]
        command = [job.source.program("binlog"), "--no-defaults", *options]
        if remote:
            command += ["--read-from-remote-server", *job.source.login(), *files]
        else:
            command += [job.source.datadir / name for name in files]
        if "--raw" in options:
            command += [f"--result-file={clean_folder(job)}/"]
        job.tool.run(command, stdout=subprocess.DEVNULL)
    return run


def wherry_decode(*options):
    """The decoder alone, on the same files: to text, to cells, or frames with their checksums."""
    def run(job):
        files = [job.source.datadir / name for name, _ in job.source.binlog_files()]
        program = ROOT / "build" / "release" / "decode_bench"
        output = job.folder / "output"
        with open(output, "wb") as out:
            job.tool.run([program, *options, *files], stdout=out)
        job.notes["output"] = output.read_text()[-2000:]
    return run


BINLOG = {
    "wherry": wherry_decode(),
    "wherry cells": wherry_decode("--cells"),
    "wherry frames": wherry_decode("--frames"),
    "file -v": binlog_reader("-v"),
    "file base64": binlog_reader(),
    "remote -v": binlog_reader("-v", remote=True),
    "remote base64": binlog_reader(remote=True),
    "remote raw": binlog_reader("--raw", remote=True),
}
