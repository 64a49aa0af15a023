#!/usr/bin/python3
"""The main job, shown on this machine: `make demo`.

Starts two private MariaDB servers, fills one with a small shop, lets an application write to it
without a pause, and moves the shop to the other server with `wherry copy`. The cutover stops the
application for a moment. Afterwards both servers are compared here, by queries of this script and
of the tests' oracle, which share no code with Wherry. Exit 0 only when everything arrived.

WHERRY_BIN names another program than build/release/wherry, DEMO_ROWS the number of orders (100000).
"""
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(TREE, "scripts"), os.path.join(TREE, "tests")]

import demo_shop  # noqa: E402
from harness import datadirs, oracle, places, processes, servers  # noqa: E402

ORDERS = int(os.environ.get("DEMO_ROWS", "100000"))
# The copy is slowed down, so that there is something to see and the writers get between the chunks.
ROWS_A_SECOND = 45000
WRITERS = 4
COPY_SECONDS_MAX = 150
DATABASE = demo_shop.DATABASE
began = time.monotonic()


class Failed(Exception):
    """The demonstration did not show what it must; the text says what."""


def say(text=""):
    print(text, flush=True)


def step(text):
    say(f"\n[{time.monotonic() - began:5.1f} s] {text}")


def start_servers():
    step("Starting two private MariaDB servers")
    pair = []
    for name in ("source", "target"):
        server = servers.Server("mariadb", {"innodb-buffer-pool-size": "256M"})
        pair.append(server)
        server.start()
        version = server.value("SELECT VERSION()")
        say(f"  {name}: MariaDB {version} at 127.0.0.1:{server.port}, data in {server.datadir}")
    return pair


def fill(source):
    step(f"Filling the source's database `{DATABASE}`")
    demo_shop.create(source, ORDERS)
    for name, count in demo_shop.counts(source).items():
        say(f"  {name:<12} {count:>8} rows")


def command_line(source, target, application, report):
    """What a user would type; the passwords stay in the environment."""
    return [
        places.wherry_binary(),
        "copy",
        "--source",
        f"mysql://reader:${{SOURCE_PASSWORD}}@127.0.0.1:{source.port}/",
        "--target",
        f"mysql://writer:${{TARGET_PASSWORD}}@127.0.0.1:{target.port}/",
        "--include",
        f"{DATABASE}.*",
        "--cutover-lock",
        application.lock_command,
        "--cutover-unlock",
        application.unlock_command,
        "--rate",
        f"{ROWS_A_SECOND}rows",
        "--report",
        report,
    ]


def shown(argv):
    """The command line as it could be pasted into a shell, an option a line."""
    words = ["wherry copy"]
    for word in argv[2:]:
        quoted = f'"{word}"' if "${" in word else shlex.quote(word)
        words.append(quoted if word.startswith("--") else words.pop() + " " + quoted)
    return " \\\n      ".join(words)


def progress_text(line):
    """One line of --progress json for people."""
    now = json.loads(line)
    total = max(now["rows_estimate"], now["rows_copied"])
    text = f"  {now['state']:<11} {now['rows_copied']:>7} of about {total} rows"
    text += f", {now['rows_per_second'] / 1000:5.1f} k rows/s"
    text += f", {now['changes_applied']:>6} changes applied, lag {now['lag_ms']} ms"
    if now["eta_seconds"] is not None:
        text += f", ETA {now['eta_seconds']} s"
    return text + (f", waiting for {now['waiting_for']}" if now["waiting_for"] else "")


def pass_on(child):
    """Shows what wherry says; without a terminal its JSON progress takes the place of the bar."""
    for raw in child.stderr:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        say(progress_text(line) if line.startswith('{"') else line)


def run_copy(argv, gate):
    """Runs wherry to its end and returns its exit code."""
    terminal = sys.stderr.isatty()
    environment = {
        **os.environ,
        "GATE": gate,
        "SOURCE_PASSWORD": datadirs.READER_PASSWORD,
        "TARGET_PASSWORD": datadirs.WRITER_PASSWORD,
    }
    child = processes.spawn(
        argv + ["--progress", "bar" if terminal else "json"],
        env=environment,
        stderr=None if terminal else subprocess.PIPE,
    )
    # A hanging copy would hang the demonstration: the alarm ends both.
    signal.alarm(COPY_SECONDS_MAX)
    try:
        if not terminal:
            pass_on(child)
        return child.wait()
    finally:
        signal.alarm(0)
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(timeout=15)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        processes.forget(child)


def move(source, target, application):
    folder = places.fresh_dir("report")
    report = os.path.join(folder, "report.json")
    argv = command_line(source, target, application, report)
    step(f"Moving the shop while {WRITERS} writers go on")
    say("    " + shown(argv) + "\n")
    code = run_copy(argv, application.folder)
    if application.errors():
        raise Failed("the application broke: " + "; ".join(application.errors()))
    if code != 0:
        raise Failed(f"wherry copy ended with exit code {code}")
    with open(report, encoding="utf-8") as text:
        return json.load(text)


def check_report(report, application):
    """The report must claim what the comparison below is going to prove."""
    for claim in ("verified", "fenced"):
        if report[claim] is not True:
            raise Failed(f"the report says {claim}: {report[claim]}")
    if report["totals"]["changes_applied"] == 0:
        raise Failed("no change was applied: the writers did not write during the copy")
    if application.stops != 1:
        raise Failed(f"the cutover stopped the application {application.stops} times, not once")


def compare(source, target):
    """Compares both servers without Wherry: the servers' own checksums, then every value."""
    step("Comparing source and target without Wherry")
    tables = sorted(demo_shop.counts(source))
    different = []
    for name in tables:
        query = f"CHECKSUM TABLE {DATABASE}.{name}"
        mine, theirs = source.rows(query)[0][1], target.rows(query)[0][1]
        count = source.value(f"SELECT COUNT(*) FROM {DATABASE}.{name}")
        verdict = "=" if mine == theirs else "DIFFERS FROM"
        say(f"  {name:<12} {count:>8} rows  CHECKSUM TABLE {mine} {verdict} {theirs}")
        if mine != theirs:
            different.append(name)
    found = oracle.compare(source, target, databases=[DATABASE])
    say(f"  definitions and every value of every row: {found.text()}")
    if different or not found:
        raise Failed("source and target differ")


def go_on(target, application):
    """The application lives on at the target: its next transactions succeed there."""
    step("The application goes on at the target")
    before = application.transactions()
    application.move_to(target)
    time.sleep(1)
    application.stop()
    if application.errors():
        raise Failed("the application broke: " + "; ".join(application.errors()))
    after = application.transactions() - before
    if after == 0:
        raise Failed("the application wrote nothing at the target")
    say(f"  {after} transactions in a second")


def demonstrate(cleanup):
    source, target = start_servers()
    fill(source)
    application = demo_shop.Application(source, places.fresh_dir("gate"), WRITERS, ORDERS)
    cleanup.append(application.stop)
    application.start()
    report = move(source, target, application)
    say(f"\n  the application: {application.transactions()} transactions committed meanwhile,")
    stopped = application.stopped_seconds
    say(f"  {application.rollbacks()} rolled back, {stopped:.1f} s stopped at the cutover")
    check_report(report, application)
    compare(source, target)
    go_on(target, application)
    step("Done: source and target were equal, and nothing was lost")


def interrupted(number, _frame):
    if number == signal.SIGALRM:
        raise Failed(f"the copy did not end within {COPY_SECONDS_MAX} s")
    raise KeyboardInterrupt


def main():
    if not os.access(places.wherry_binary(), os.X_OK):
        say(f"{places.wherry_binary()} is not there: run `make build` first")
        return 1
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, interrupted)
    cleanup = []
    code = 1
    try:
        demonstrate(cleanup)
        code = 0
    except Failed as reason:
        say(f"\nFAILED: {reason}")
    except KeyboardInterrupt:
        say("\ninterrupted")
        code = 130
    finally:
        # A second Ctrl-C must not leave servers behind.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for undo in cleanup:
            undo()
        processes.kill_all()
        shutil.rmtree(places.root(), ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
