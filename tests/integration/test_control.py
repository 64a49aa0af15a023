"""Steering a running copy: the API, signals, the lease, the cutover with lock and unlock commands."""
import http.client
import os
import signal
import stat
import time

from harness import data, datadirs, nativereplica, oracle, places, wherry
from harness.framework import check, test, wait_until
from harness.patience import limit
from harness.workload import Workload


def _script(t, name, *lines):
    path = t.path(name)
    with open(path, "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\n" + "\n".join(lines) + "\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def _slow(t, source, target, *options, rows=20000, rate="2000rows", **more):
    """A copy that stays in the state `copying` for some seconds."""
    data.numbers(source, rows=rows)
    run = wherry.start_copy(
        t, source, target, "--chunk-rows", 200, "--rate", rate, *options, **more
    )
    run.wait_state("copying")
    return run


def _settled(read):
    """What read() gives once it has not changed for a while: what was on its way has arrived."""
    seen = [(time.monotonic(), read())]

    def still():
        value = read()
        if value != seen[-1][1]:
            seen.append((time.monotonic(), value))
        return time.monotonic() - seen[-1][0] > limit(1)

    wait_until(still, 20, "nothing more to arrive")
    return seen[-1][1]


@test()
def test_sigusr1_prints_the_status(t):
    source, target = t.pair()
    run = _slow(t, source, target)
    time.sleep(0.3)
    before = len(run.err)
    run.terminate(signal.SIGUSR1)
    wait_until(
        lambda: "copying" in run.err[before:] and "bulk.t1" in run.err[before:],
        5,
        "a status on stderr",
    )
    check(run.running(), run.tail)
    run.interrupt()


@test()
def test_pause_and_resume(t):
    source, target = t.pair()
    run = _slow(t, source, target)
    run.action("pause")
    run.wait_state("paused", timeout=10)
    held = _settled(lambda: target.value("SELECT COUNT(*) FROM bulk.t1"))
    time.sleep(0.8)
    check(target.value("SELECT COUNT(*) FROM bulk.t1") == held, "rows came while it was paused")
    source.execute("UPDATE bulk.t1 SET v=v+1 WHERE id<100")
    run.action("pause", expect=409)
    run.action("resume")
    run.wait_state("copying", *wherry.STREAMING)
    run.call("PATCH", "/api/v1/copy/settings", {"rate": "0rows"})
    check(run.cutover() == 0, run.tail)
    oracle.require_equal(source, target)


@test(dialects=("mariadb",))
def test_settings_change_while_it_runs(t):
    source, target = t.pair()
    run = _slow(t, source, target, rate="500rows")
    status, _ = run.call(
        "PATCH", "/api/v1/copy/settings", {"rate": "1000000rows", "chunk-rows": 1000}
    )
    check(status == 202, f"HTTP {status}")
    run.wait_state(*wherry.STREAMING, timeout=15)
    for wrong in ({"rat": "1rows"}, {"rate": "fast"}, {"lanes": 0}, [], "x"):
        status, answer = run.call("PATCH", "/api/v1/copy/settings", wrong)
        check(status in (400, 422) and answer["error"]["message"], f"{wrong}: {status} {answer}")
    check(run.cutover() == 0, run.tail)


def _on_socket(t, source, target, folder, *options):
    run = wherry.start_copy(t, source, target, "--state", folder, *options, api=False)
    run.control_socket = os.path.join(folder, "control.sock")
    wait_until(lambda: run.control_socket in run.err, 20, "the socket's announcement")
    return run


@test()
def test_control_socket(t):
    """Without --api a run is watched and told to cut over through the socket of its state folder."""
    source, target = t.pair()
    data.numbers(source, rows=2000)
    folder = os.path.join(places.fresh_dir("state"), "made")
    killed = _on_socket(t, source, target, folder)
    killed.wait_state("waiting-for-cutover")
    check(stat.S_IMODE(os.stat(killed.control_socket).st_mode) == 0o600, "others may open it")
    second = wherry.start_copy(t, source, target, "--state", folder, "--resume", api=False)
    second.expect(wherry.EXIT_REFUSED)
    check(folder in second.err and "another run" in second.err, second.tail)
    check(killed.state() == "waiting-for-cutover", killed.tail)
    killed.kill9()
    check(os.path.exists(killed.control_socket), "kill -9 leaves the socket")
    run = _on_socket(t, source, target, folder, "--resume")
    check(run.cutover() == 0, run.tail)
    check(not os.path.exists(run.control_socket), "the socket is still there")
    oracle.require_equal(source, target)


@test(dialects=("mariadb",))
def test_actions_at_the_wrong_time(t):
    source, target = t.pair()
    run = _slow(t, source, target)
    run.action("resume", expect=409)
    answer = run.action("cutover", expect=409)
    check("copying" in str(answer), f"the state is not told: {answer}")
    status, answer = run.call("POST", "/api/v1/copy/nonsense")
    check(status == 404 and answer["error"]["message"], f"{status} {answer}")
    status, _ = run.call("DELETE", "/api/v1/copy")
    check(status in (404, 405), f"HTTP {status}")
    run.action("stop")
    run.expect(wherry.EXIT_INTERRUPTED)


@test(dialects=("mariadb",))
def test_everything_the_api_serves(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target)
    status, health = run.call("GET", "/healthz")
    check(status == 200, health)
    status, document = run.call("GET", "/api/v1/openapi.json")
    check(status == 200 and "/api/v1/copy" in document["paths"], "no OpenAPI document")
    status, _ = run.call("GET", "/api/v1/status")
    check(status == 200)
    status, metrics = run.call("GET", "/metrics")
    check(status == 200 and "\nwherry_" in "\n" + metrics, metrics)
    copy = run.copy_state()
    for key in ("state", "rows_copied", "lag_ms", "positions", "tables", "error"):
        check(key in copy, f"{key} is missing in {sorted(copy)}")
    client = http.client.HTTPConnection("127.0.0.1", run.api_port(), timeout=5)
    client.request("GET", "/api/v1/events")
    stream = client.getresponse()
    check(stream.headers["Content-Type"].startswith("text/event-stream"))
    check(b"event:" in stream.read1(4096) or b"data:" in stream.read1(4096), "no event")
    client.close()
    check(run.cutover() == 0, run.tail)


@test(dialects=("mariadb",))
def test_api_keeps_to_loopback(t):
    run = wherry.run(
        t, "copy", "--source", "mysql://a@h/", "--target", "mysql://b@h/", "--api", "0.0.0.0:0"
    )
    check(run.child.returncode == wherry.EXIT_REFUSED, run.tail)


@test()
def test_second_run_is_refused(t):
    source, target = t.pair()
    first = _slow(t, source, target, cutover="manual")
    for options in (["--resume"], []):
        second = wherry.start_copy(t, source, target, *options, api=False, cutover="auto")
        second.expect(wherry.EXIT_REFUSED, timeout=40)
        check("lease" in second.err.lower() or "another run" in second.err.lower(), second.tail)
    first.call("PATCH", "/api/v1/copy/settings", {"rate": "0rows"})
    check(first.cutover() == 0, first.tail)
    oracle.require_equal(source, target)


@test()
def test_resume_of_a_finished_copy(t):
    source, target = t.pair()
    data.shop(source)
    wherry.copy(t, source, target)
    run = wherry.start_copy(t, source, target, "--resume", api=False, cutover="auto")
    code = run.wait()
    check(code in (wherry.EXIT_DONE, wherry.EXIT_REFUSED), run.tail)
    oracle.require_equal(source, target)


@test()
def test_resume_from_another_source_is_refused(t):
    source, target = t.pair()
    other = t.server()
    data.shop(source)
    data.shop(other)
    run = wherry.start_streaming(t, source, target, cutover="never")
    run.interrupt()
    wrong = wherry.start_copy(t, other, target, "--resume", api=False, cutover="auto")
    wrong.expect(wherry.EXIT_REFUSED)
    wherry.copy(t, source, target, "--resume")
    oracle.require_equal(source, target)


@test()
def test_resume_after_the_binlog_was_purged(t):
    """A place in the binlog that the source no longer has: refused, never a silent gap."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_streaming(t, source, target, cutover="never")
    run.interrupt()
    source.execute(
        "INSERT INTO shop.words VALUES ('lost', 1)",
        "FLUSH BINARY LOGS",
        "INSERT INTO shop.words VALUES ('kept', 1)",
    )
    last = source.rows("SHOW BINARY LOGS")[-1][0]
    # A file that the dump of the ended run still reads is left alone until the server notices.
    deadline = time.monotonic() + 30
    while source.rows("SHOW BINARY LOGS")[0][0] != last and time.monotonic() < deadline:
        source.execute(f"PURGE BINARY LOGS TO '{last}'")
        time.sleep(0.1)
    again = wherry.start_copy(t, source, target, "--resume", api=False, cutover="auto")
    again.expect(wherry.EXIT_FAILED, wherry.EXIT_REFUSED)
    check("purge" in again.err.lower() or "binlog" in again.err.lower(), again.tail)


@test()
def test_cutover_lock_and_unlock(t):
    """Writers go on until the lock command stops them; nothing is lost, and unlock runs after it."""
    source, target = t.pair()
    word = "read_only" if t.dialect == "mariadb" else "super_read_only"
    client = f"/usr/bin/mariadb --no-defaults -uroot -S {source.socket} -e"
    log = t.path("order")
    lock = _script(t, "lock.sh", f"echo lock >> {log}", f'{client} "SET GLOBAL {word}=1"')
    unlock = _script(t, "unlock.sh", f"echo unlock >> {log}")
    source.execute(
        "CREATE USER app@'%' IDENTIFIED BY 'app-pw-55'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON rnd.* TO app@'%'",
    )
    work = Workload(source, 31, pause=0.002, account=("app", "app-pw-55")).create().start()
    t.at_end(work.stopping.set)
    run = wherry.start_copy(
        t,
        source,
        target,
        "--cutover-lock",
        lock,
        "--cutover-unlock",
        unlock,
        api=False,
        cutover="auto",
    )
    code = run.wait(90)
    check(work.fenced.is_set(), "the lock did not stop the writers")
    work.stop()
    check(code == 0, run.tail)
    with open(log) as lines:
        check(lines.read().split() == ["lock", "unlock"], "order of the commands")
    report = run.report()
    check(report["fenced"] is True and report["downtime_ms"] >= 0, report)
    oracle.require_equal(source, target)


@test(dialects=("mariadb",))
def test_failing_lock_command(t):
    source, target = t.pair()
    data.shop(source)
    lock = _script(t, "lock.sh", "echo no way >&2", "exit 9")
    run = wherry.start_copy(t, source, target, "--cutover-lock", lock, api=False, cutover="auto")
    try:
        code = run.wait(20)
        check(code == wherry.EXIT_FAILED, run.tail)
    except AssertionError:
        if not run.running():
            raise
        run.interrupt()
    check("lock" in run.err, run.tail)
    wherry.copy(t, source, target, "--resume")
    oracle.require_equal(source, target)


@test()
def test_swap_to_another_address_of_the_source(t):
    source, target = t.pair()
    run = _slow(t, source, target)
    work_rows = "UPDATE bulk.t1 SET v=v+1 WHERE id BETWEEN 500 AND 900"
    source.execute(work_rows)
    run.action(
        "failover", body={"endpoint": source.uri("reader", datadirs.READER_PASSWORD, socket=True)}
    )
    source.execute(work_rows)
    wait_until(
        lambda: (run.copy_state() or {}).get("source_generation", 0) >= 2, 20, "generation 2"
    )
    run.call("PATCH", "/api/v1/copy/settings", {"rate": "0rows"})
    check(run.cutover() == 0, run.tail)
    check(run.report()["source_generations"] >= 2)
    oracle.require_equal(source, target)


@test()
def test_swap_to_a_promoted_replica(t):
    """In the middle of the copy the replica becomes the source; writes go on there."""
    primary, target = t.pair()
    replica = t.server()
    nativereplica.attach(t, primary, replica)
    run = _slow(t, primary, target)
    primary.execute("UPDATE bulk.t1 SET v=v+1 WHERE id%7=0")
    nativereplica.wait_caught_up(primary, replica)
    nativereplica.detach(replica)
    status, answer = run.call("POST", "/api/v1/copy/failover", {"endpoint": replica.source_uri})
    if status == 409 and "same server" in str(answer):
        t.skip("this build goes on only from the same server: " + answer["error"]["message"])
    check(status == 202, f"HTTP {status}: {answer}")
    wait_until(
        lambda: (run.copy_state() or {}).get("source_generation", 0) >= 2, 20, "generation 2"
    )
    replica.execute("UPDATE bulk.t1 SET v=v-1 WHERE id%5=0", "DELETE FROM bulk.t1 WHERE id%11=0")
    run.call("PATCH", "/api/v1/copy/settings", {"rate": "0rows"})
    check(run.cutover() == 0, run.tail)
    oracle.require_equal(replica, target)


@test()
def test_swap_to_a_stranger_is_refused(t):
    source, target = t.pair()
    stranger = t.server()
    run = _slow(t, source, target, rate="4000rows")
    data.numbers(stranger, rows=1000)
    status, answer = run.call(
        "POST", "/api/v1/copy/failover", {"endpoint": stranger.source_uri}, timeout=30
    )
    check(status in (202, 409, 422, 400), f"HTTP {status}: {answer}")
    source.execute("UPDATE bulk.t1 SET v=v+1 WHERE id<50")
    if run.running() and run.state() not in wherry.ENDED:
        check(run.cutover() == 0, run.tail)
        check(run.report()["source_generations"] == 1)
        oracle.require_equal(source, target)
    else:
        run.expect(wherry.EXIT_FAILED)
