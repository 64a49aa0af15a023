"""wherry and its target die at random moments, again and again, while writers go on."""
import random
import signal
import time

from harness import oracle, wherry
from harness.framework import check, test, wait_until
from harness.workload import Workload


def _finish(t, source, target, work, options):
    """Resumes a last time, stops the writers, cuts over and compares."""
    try:
        run = wherry.start_copy(t, source, target, "--resume", *options)
        run.wait_state(*wherry.STREAMING, timeout=120)
    finally:
        work.stop()
    code = run.cutover(timeout=120)
    found = oracle.compare(source, target)
    check(found, lambda: f"the target differs\n{found.text()}\n{run.tail()}")
    check(code == wherry.EXIT_DONE, lambda: f"exit {code}\n{run.tail()}")
    counted = source.value("SELECT SUM(n) FROM rnd.tally")
    check(
        counted == target.value("SELECT SUM(n) FROM rnd.tally") and counted > 0,
        "the counters differ",
    )


def _wait_started(run):
    """Until the copy has taken the target, so that there is something to resume."""
    run.wait_state("copying", *wherry.STREAMING)


def _start(t, source, target, number, options):
    """The first round starts the copy, each further one resumes it."""
    more = ["--resume"] if number else []
    return wherry.start_copy(t, source, target, *more, *options, cutover="never")


def _rounds(t, usual):
    return t.rounds or usual


@test(timeout=240)
def test_kill_at_random_moments(t):
    source, target = t.pair()
    rng = random.Random(f"kill {t.first_seed}")
    work = Workload(source, t.first_seed, pause=0.004, rows=1200).create().start()
    options = ["--chunk-rows", 20, "--lanes", 4]
    try:
        for number in range(_rounds(t, 12)):
            run = _start(t, source, target, number, options)
            if number == 0:
                _wait_started(run)
            work.let_run(rng.choice((0.02, 0.1, 0.3, 0.8)) * rng.uniform(0.5, 1.5))
            if not run.running():
                raise AssertionError(f"round {number}: wherry ended by itself\n{run.tail()}")
            run.kill9()
            t.log(f"round {number}: {work.transactions()} transactions so far")
        _finish(t, source, target, work, options)
    finally:
        work.stopping.set()


@test(timeout=240)
def test_kill_with_foreign_keys(t):
    source, target = t.pair()
    rng = random.Random(f"kill fk {t.first_seed}")
    work = Workload(source, 77, pause=0.004, rows=800, foreign_keys=True).create().start()
    options = ["--chunk-rows", 20, "--lanes", 4]
    try:
        for number in range(_rounds(t, 5)):
            run = _start(t, source, target, number, options)
            _wait_started(run)
            work.let_run(rng.uniform(0.05, 0.6))
            run.kill9()
        _finish(t, source, target, work, options)
    finally:
        work.stopping.set()


@test(timeout=180)
def test_stop_by_signal_and_resume(t):
    """SIGTERM and SIGINT end with exit code 4, in every state, and the copy goes on from there."""
    source, target = t.pair()
    rng = random.Random(f"stop {t.first_seed}")
    work = Workload(source, 5, pause=0.003).create().start()
    # Another number of lanes each time: resuming must not depend on it.
    try:
        for number in range(_rounds(t, 6)):
            run = _start(t, source, target, number, ["--chunk-rows", 50, "--lanes", 1 + number % 5])
            if number % 2:
                run.wait_state(*wherry.STREAMING, timeout=90)
            else:
                _wait_started(run)
            work.let_run(rng.uniform(0, 0.3))
            run.terminate(signal.SIGINT if number % 3 == 0 else signal.SIGTERM)
            run.expect(wherry.EXIT_INTERRUPTED, timeout=40)
        _finish(t, source, target, work, ["--chunk-rows", 50])
    finally:
        work.stopping.set()


@test(timeout=180)
def test_kill_in_the_first_moments(t):
    """Killed before or while the target is prepared: --resume goes on where there is a saved run, and
    where there is none the copy can be started as if nothing had happened."""
    source, target = t.pair()
    Workload(source, 9, rows=200).create()

    def begin(**more):
        run = wherry.start_copy(t, source, target, "--resume", **more)
        wait_until(lambda: not run.running() or "copying" in run.err, 20, "a decision")
        if run.running() or run.child.returncode != wherry.EXIT_REFUSED:
            return run
        check("no saved run" in run.err, run.tail)
        return wherry.start_copy(t, source, target, **more)

    for number in range(_rounds(t, 6)):
        run = begin(cutover="never")
        time.sleep(0.05 * number)
        run.kill9()
        run = wherry.start_copy(t, source, target, cutover="never")
        time.sleep(0.03 + 0.04 * number)
        run.kill9()
    begin(cutover="auto").expect(wherry.EXIT_DONE)
    oracle.require_equal(source, target)


@test(timeout=240)
def test_kill_the_target_server(t):
    """The target dies without warning and comes back; wherry waits for it or can be resumed."""
    source, target = t.pair()
    rng = random.Random(f"target {t.first_seed}")
    work = Workload(source, 6, pause=0.004, rows=800).create().start()
    options = ["--chunk-rows", 20, "--lanes", 4]
    run = None
    try:
        for number in range(_rounds(t, 3)):
            if run is None or not run.running():
                run = _start(t, source, target, number, options)
                _wait_started(run)
            work.let_run(rng.uniform(0.1, 0.8))
            target.kill9()
            work.let_run(rng.uniform(0.0, 0.5))
            target.start()
            work.let_run(1.0)
            if not run.running():
                run.expect(wherry.EXIT_FAILED, timeout=1)
                check(
                    '"resumable": true' in (run.out + run.err).replace('":true', '": true')
                    or "resum" in run.err,
                    lambda: "it does not say that it can be resumed\n" + run.tail(),
                )
        if run.running():
            run.kill9()
        _finish(t, source, target, work, options)
    finally:
        work.stopping.set()


@test(timeout=240)
def test_kill_the_source_server(t):
    """The source crashes and comes back with the same identity."""
    source, target = t.pair()
    work = Workload(source, 8, pause=0.004, rows=800).create()
    work.server_may_die = True
    options = ["--chunk-rows", 20]
    run = None
    try:
        for number in range(_rounds(t, 2)):
            work.start()
            if run is None or not run.running():
                run = _start(t, source, target, number, options)
                _wait_started(run)
            work.let_run(0.5)
            source.kill9()
            work.stop()
            source.start()
            time.sleep(1.0)
            if not run.running():
                run.expect(wherry.EXIT_FAILED, timeout=1)
        if run.running():
            run.kill9()
        work.start()
        work.let_run(0.3)
        _finish(t, source, target, work, options)
    finally:
        work.stopping.set()
