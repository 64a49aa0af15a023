#!/usr/bin/python3
"""Runs the integration tests. See `tests/run.py --help`; the last line is the sum of the results."""
import argparse
import collections
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import discovery, patience, places  # noqa: E402


class Job:
    """One run of one test, and its items if it is a batch."""

    def __init__(self, test, dialect, items):
        self.test = test
        self.dialect = dialect
        self.items = items
        self.name = f"{test.name}[{dialect}]" if dialect else test.name


class Worker:
    """A child process that runs one job at a time and keeps its servers between jobs."""

    def __init__(self):
        read_end, write_end = os.pipe()
        self.child = subprocess.Popen(
            [sys.executable, "-m", "harness.worker", str(write_end)],
            cwd=places.TESTS,
            stdin=subprocess.PIPE,
            pass_fds=(write_end,),
            start_new_session=True,
        )
        os.close(write_end)
        self.answers = os.fdopen(read_end, "rb")
        self.job = None
        self.began = 0.0

    def begin(self, job, settings):
        self.job = job
        self.began = time.monotonic()
        order = {
            "test": job.test.name,
            "dialect": job.dialect,
            "items": job.items,
            "settings": settings,
            "name": job.name,
        }
        self.child.stdin.write(json.dumps(order).encode() + b"\n")
        self.child.stdin.flush()

    def stop(self):
        """Ends the worker; on SIGTERM it ends its own children."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.answers.close()


class Results:
    def __init__(self):
        self.count = collections.Counter()
        self.skips = []
        self.failures = []

    def add(self, name, seconds, error=None, skip=None):
        took = f"{seconds:7.1f} s" if seconds is not None else "         "
        if error:
            self.count["failed"] += 1
            self.failures.append(name)
            print(f"FAIL {took}  {name}")
            for line in error.strip().splitlines()[:14]:
                print(f"       {line[:300]}")
        elif skip:
            self.count["skipped"] += 1
            self.skips.append((name, skip))
            print(f"skip {took}  {name}")
        else:
            self.count["passed"] += 1
            print(f"ok   {took}  {name}")
        sys.stdout.flush()

    def sum_up(self):
        if self.skips:
            print("\nskipped:")
            for name, reason in self.skips:
                print(f"  {name}: {reason}")
        if self.failures:
            print(f"\nlogs of failed tests: {os.path.relpath(places.LOGS)}")
        print(
            f"\n{self.count['passed']} passed, {self.count['failed']} failed"
            + (f", {self.count['skipped']} skipped" if self.count["skipped"] else "")
        )


def plan(arguments, results):
    """The jobs that the arguments select; those that cannot run here become skips."""
    jobs = []
    for test in discovery.tests():
        for dialect in test.dialects or ("",):
            if (
                arguments.dialect
                and dialect
                and not set(dialect.split(">")) <= set(arguments.dialect)
            ):
                continue
            name = f"{test.name}[{dialect}]" if dialect else test.name
            items = test.items(dialect) if test.items else None
            if arguments.k:
                if items is not None:
                    items = [i for i in items if any(k in f"{name}/{i}" for k in arguments.k)]
                    if not items:
                        continue
                elif not any(k in name for k in arguments.k):
                    continue
            reason = test.missing(dialect)
            if reason:
                results.add(name, None, skip=reason)
            else:
                jobs.append(Job(test, dialect, items))
    return jobs


def record(results, worker, answer, seconds):
    job = worker.job
    if answer.get("error") and job.items is None:
        results.add(job.name, seconds, error=answer["error"])
    elif job.items is None:
        results.add(job.name, seconds, skip=answer.get("skip"))
    else:
        found = answer.get("results", {})
        missing = "no result" + (": " + answer["error"] if answer.get("error") else "")
        for number, item in enumerate(job.items):
            one = found.get(item) or {
                "error": None if answer.get("skip") else missing,
                "skip": answer.get("skip"),
            }
            results.add(f"{job.name}/{item}", seconds if number == 0 else None, **one)


def handle_answer(results, worker):
    """Takes the answer of a worker; False when the worker is gone."""
    line = worker.answers.readline()
    seconds = time.monotonic() - worker.began
    if not line:
        code = worker.child.wait()
        record(results, worker, {"error": f"the test process ended with {code}"}, seconds)
        return False
    record(results, worker, json.loads(line), seconds)
    worker.job = None
    return True


def run_jobs(jobs, count, settings, results):
    """Runs the jobs on up to `count` workers and waits for all."""
    waiting = collections.deque(jobs)
    workers = []
    selector = selectors.DefaultSelector()
    try:
        while waiting or any(w.job for w in workers):
            if results.count["failed"] >= settings["stop_after"]:
                waiting.clear()
            while waiting and sum(1 for w in workers if w.job) < count:
                worker = next((w for w in workers if not w.job), None)
                if worker is None:
                    worker = Worker()
                    workers.append(worker)
                    selector.register(worker.answers, selectors.EVENT_READ, worker)
                worker.begin(waiting.popleft(), settings)
            for key, _ in selector.select(timeout=1):
                if not handle_answer(results, key.data):
                    selector.unregister(key.fileobj)
                    key.data.stop()
                    workers.remove(key.data)
            for worker in list(workers):
                limit = worker.job and worker.job.test.timeout * settings["patience"]
                if worker.job and time.monotonic() - worker.began > limit:
                    record(
                        results,
                        worker,
                        {"error": f"not done after {limit:.0f} s"},
                        time.monotonic() - worker.began,
                    )
                    selector.unregister(worker.answers)
                    worker.stop()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.stop()
        selector.close()


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the integration tests.")
    parser.add_argument(
        "-k",
        action="append",
        metavar="TEXT",
        help="only tests whose name contains TEXT (repeatable)",
    )
    parser.add_argument(
        "--dialect",
        action="append",
        choices=("mariadb", "mysql"),
        help="only tests that need no other dialect (repeatable)",
    )
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time (default 2)")
    parser.add_argument("--seeds", type=int, help="seeds of each randomised test")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, help="rounds of each test with kills")
    parser.add_argument("--patience", type=float, help="factor on every time limit")
    parser.add_argument(
        "--stop-after", type=int, help="start no more tests after this many failures"
    )
    parser.add_argument("--list", action="store_true", help="print the names and end")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    results = Results()
    jobs = plan(arguments, results)
    if arguments.list:
        for job in jobs:
            print(job.name)
            for item in job.items or ():
                print(f"  {job.name}/{item}")
        return 0
    if any(job.test.needs_wherry for job in jobs) and not os.access(
        places.wherry_binary(), os.X_OK
    ):
        print(f"{places.wherry_binary()} is not built", file=sys.stderr)
        return 1
    places.root()
    shutil.rmtree(places.LOGS, ignore_errors=True)
    # More work than by default takes longer; the limits only catch what hangs.
    factor = arguments.patience or max(
        1.0, (arguments.seeds or 0) / 4, (arguments.rounds or 0) / 4
    )
    patience.choose(arguments.patience or 1.0)
    settings = {
        "seeds": arguments.seeds,
        "rounds": arguments.rounds,
        "patience": factor,
        "first_seed": arguments.first_seed,
        "stop_after": arguments.stop_after or len(jobs) * 100,
    }
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run_jobs([j for j in jobs if j.test.parallel], arguments.jobs, settings, results)
    run_jobs([j for j in jobs if not j.test.parallel], 1, settings, results)
    results.sum_up()
    return 1 if results.count["failed"] or not results.count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
