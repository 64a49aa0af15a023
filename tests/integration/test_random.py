"""Random writers hammer the source while it is copied; the target must end up equal, for every seed.

Small chunks make many edges, large ones hold many keys that change between reading and placing. The
proof that the test can fail is `fault_is_found`: with the placing rule broken on purpose the oracle
must object.
"""
import random

from harness import oracle, places, servers, wherry
from harness.framework import ALL_PAIRS, check, test
from harness.workload import Workload

FAULT = "keep-changed-chunk-rows"


def _options(seed, position_mode):
    """The knobs of one seed: sizes of chunks and numbers of sessions differ from seed to seed."""
    rng = random.Random(f"options {seed}")
    return [
        "--chunk-rows",
        rng.choice((1, 3, 20, 200, 1000, 5000)),
        "--readers",
        rng.choice((1, 2, 4)),
        "--lanes",
        rng.choice((1, 2, 4, 8)),
        "--position-mode",
        position_mode,
    ]


def _rows(rng, options):
    """Tables in proportion to their chunks: thousands of one-row chunks only take time."""
    return rng.choice((200, 400) if options[1] <= 3 else (300, 1000, 3000))


def _one_seed(t, source, target, seed, *, position_mode="gtid", fault=None, verify=None, **load):
    """Copies under load and returns what the oracle finds, with the exit code of wherry."""
    servers.drop_user_databases(source)
    servers.drop_user_databases(target)
    rng = random.Random(f"seed {seed}")
    source.execute("SET GLOBAL binlog_row_metadata=%s" % rng.choice(("FULL", "MINIMAL")))
    options = _options(seed, position_mode) + (["--verify", verify] if verify else [])
    work = Workload(
        source,
        seed,
        pause=rng.choice((0.0, 0.0005, 0.002)),
        rows=_rows(rng, options),
        **load,
    ).create()
    work.start()
    work.let_run(0.2)
    faulty = {"env": {"WHERRY_FAULT": fault}, "program": places.faulty_binary()} if fault else {}
    run = wherry.start_copy(t, source, target, *options, **faulty)
    try:
        run.wait_state(*wherry.STREAMING, timeout=90)
        work.let_run(rng.choice((0.0, 0.3, 0.8)))
    finally:
        done = work.stop()
    code = run.cutover(timeout=90)
    found = oracle.compare(source, target, auto_increment=fault is None)
    t.log(f"seed {seed}: {done} transactions, exit {code}, options {options}, {found.text(3)}")
    return code, found, run


def _require_equal(t, seed, outcome):
    code, found, run = outcome
    check(found, lambda: f"seed {seed}: the target differs\n{found.text()}\n{run.tail()}")
    check(code == wherry.EXIT_DONE, lambda: f"seed {seed}: exit {code}\n{run.tail()}")


def _seeds(t, usual):
    count = t.seeds or usual
    return range(t.first_seed, t.first_seed + count)


@test(timeout=150)
def test_gtid(t):
    source, target = t.pair()
    for seed in _seeds(t, 8):
        _require_equal(t, seed, _one_seed(t, source, target, seed))


@test(timeout=120)
def test_file_positions(t):
    """The same where the source is followed by file and offset."""
    source, target = t.pair(
        {"gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"} if t.dialect == "mysql" else None
    )
    for seed in _seeds(t, 3):
        _require_equal(t, seed, _one_seed(t, source, target, seed, position_mode="file"))


@test(timeout=120)
def test_foreign_keys(t):
    source, target = t.pair()
    for seed in _seeds(t, 3):
        _require_equal(t, seed, _one_seed(t, source, target, seed, foreign_keys=True))


@test(dialects=ALL_PAIRS[2:], timeout=120)
def test_across_dialects(t):
    source, target = t.pair()
    for seed in _seeds(t, 2):
        _require_equal(t, seed, _one_seed(t, source, target, seed))


@test(timeout=120)
def test_many_writers_one_row_chunks(t):
    """Few keys and chunks of one row: nearly every chunk meets changes of its own key."""
    source, target = t.pair()
    for seed in _seeds(t, 2):
        _require_equal(t, seed, _one_seed(t, source, target, 1000 + seed, threads=4))


@test(timeout=240)
def test_fault_is_found(t):
    """With rows kept that the stream has already changed, some seed must differ."""
    source, target = t.pair()
    with open(places.faulty_binary(), "rb") as program:
        check(FAULT.encode() in program.read(), "wherry_faulty has no fault points")
    with open(places.wherry_binary(), "rb") as program:
        check(FAULT.encode() not in program.read(), "the program that is shipped has fault points")
    for seed in _seeds(t, 20):
        try:
            _code, found, _run = _one_seed(t, source, target, seed, fault=FAULT, verify="none")
        except AssertionError as error:
            # A row that is there, or not there, against the source's word stops the run as well.
            t.log(f"seed {seed} failed: {error}")
            continue
        if not found:
            t.log(f"seed {seed} shows the fault")
            return
    raise AssertionError("the oracle found the deliberate fault with no seed")
