"""The server of feeds and the command that steers it: what is asked for is kept, whatever happens.

Most feeds here have a sink that no build has yet, so they fail at once and need no server.
"""
import http.client
import json
import os
import socket
import stat
import threading

from harness import data, feeds, oracle, places, wherry
from harness.framework import check, test, wait_until

_PASSWORDS = ("rd-pw-7731", "wr-pw-9912")
_KEYS = {
    "source": f"mysql://reader:{_PASSWORDS[0]}@127.0.0.1:1/",
    "sink": f"kafka://writer:{_PASSWORDS[1]}@127.0.0.1:1/topic",
}


def _serve(t, folder, *options):
    argv = ["serve", "--data-dir", folder, "--api", "127.0.0.1:0", *options]
    run = wherry.Run(t, argv, secrets=_PASSWORDS)
    run.api_port()
    return run


def _feed(t, server, *words, env=None, code=0):
    url = f"http://127.0.0.1:{server.api_port()}"
    run = wherry.run(t, "feed", *words, "--server", url, env=env, secrets=_PASSWORDS)
    check(run.child.returncode == code, lambda: f"{words}: {run.tail()}")
    return run


def _create(server, name, **keys):
    status, body = server.call("POST", "/api/v1/feeds", {"name": name, **_KEYS, **keys})
    check(status == 201, f"HTTP {status}: {body}")
    return body


def _state(server, name):
    status, body = server.call("GET", f"/api/v1/feeds/{name}")
    return body["state"] if status == 200 else status


def _wait_state(server, name, state):
    wait_until(lambda: _state(server, name) == state, 20, f"{name} to be {state}")


def _folder():
    return os.path.join(places.fresh_dir("serve"), "data")


@test(dialects=())
def test_a_feed_from_the_command_line(t):
    server = _serve(t, _folder())
    config = t.path("feed.toml")
    with open(config, "w", encoding="utf-8") as out:
        out.write(
            'name = "shop"\nsource = "mysql://reader:${READER}@127.0.0.1:1/"\n'
            'sink = "kafka://127.0.0.1:1/topic"\ninclude = ["shop.*"]\nlanes = 3\n'
            '[log]\nmemory = "32MiB"\n'
        )
    env = {"READER": _PASSWORDS[0]}
    made = _feed(t, server, "create", "--config", config, "--lanes", "4", "--json", env=env)
    check(json.loads(made.out)["config"]["lanes"] == "4", made.tail)
    _feed(t, server, "create", "--config", config, env=env, code=1)
    _wait_state(server, "shop", "failed")
    listed = _feed(t, server, "list")
    check("shop" in listed.out and "failed" in listed.out, listed.tail)
    check("no sink for kafka://" in listed.out, listed.tail)
    shown = json.loads(_feed(t, server, "show", "shop", "--json").out)
    check(shown["error"]["code"] == "unsupported", shown)
    check(shown["config"]["source"] == "mysql://reader:***@127.0.0.1:1/", shown)
    check(shown["config"]["log.memory"] == "32MiB", shown)
    _feed(t, server, "pause", "shop")
    check(_state(server, "shop") == "stopped", "pause did not wait")
    _feed(t, server, "pause", "shop", code=1)
    _feed(t, server, "update", "shop", "--lanes", "6")
    check("6" in _feed(t, server, "show", "shop").out, "the change is not shown")
    _feed(t, server, "resume", "shop")
    _wait_state(server, "shop", "failed")
    _feed(t, server, "remove", "--name", "shop")
    gone = _feed(t, server, "show", "shop", code=1)
    check("no feed shop" in gone.err, gone.tail)
    server.terminate()
    server.expect(0)


@test(dialects=())
def test_mistakes_of_the_feed_command(t):
    server = _serve(t, _folder())
    keys = ("--source", _KEYS["source"], "--sink", _KEYS["sink"])
    for words, said in (
        (("craete",), "create"),
        (("create", "a", *keys, "--lane", "3"), "--lanes"),
        (("create", "a b", *keys), "--name"),
        (("create", "a", "--source", _KEYS["source"]), "sink is missing"),
        (("create", "a", *keys, "--ddl", "drop-tabel=skip"), "drop-table"),
        (("create", "a", *keys, "--inflight.feed-low", "1GiB"), "feed-low"),
        (("update", "a"), "nothing"),
        (("pause", "a", "--lanes", "3"), "--lanes"),
    ):
        run = _feed(t, server, *words, code=2)
        check(said in run.err, lambda: f"{words}: {said!r} is not said\n{run.tail()}")
    run = wherry.run(t, "feed", "list", "--server", "http://127.0.0.1:1")
    check(run.child.returncode == 1 and "127.0.0.1:1" in run.err, run.tail)
    run = wherry.run(t, "serve", "--api", "127.0.0.1:0")
    check(run.child.returncode == 2 and "--data-dir" in run.err, run.tail)


@test(dialects=())
def test_the_api_refuses_with_the_right_status(t):
    server = _serve(t, _folder())
    _create(server, "a")
    _wait_state(server, "a", "failed")
    for method, path, body, expected in (
        ("POST", "/api/v1/feeds", {"name": "b"}, 400),
        ("POST", "/api/v1/feeds", {"name": "b", **_KEYS, "lane": 3}, 400),
        ("POST", "/api/v1/feeds", "x", 400),
        ("POST", "/api/v1/feeds", {"name": "a", **_KEYS}, 409),
        ("GET", "/api/v1/feeds/b", None, 404),
        ("PATCH", "/api/v1/feeds/b", {"lanes": 3}, 404),
        ("PATCH", "/api/v1/feeds/a", {"name": "b"}, 400),
        ("PATCH", "/api/v1/feeds/a", {"source": "mysql://reader:***@h/"}, 400),
        ("DELETE", "/api/v1/feeds/b", None, 404),
        ("POST", "/api/v1/feeds/a/nonsense", None, 404),
        ("POST", "/api/v1/feeds/a/syncpoint", None, 409),
    ):
        status, answer = server.call(method, path, body)
        check(status == expected, f"{method} {path} {body}: HTTP {status} {answer}")
        error = answer["error"]
        check(error["code"] and error["message"] and "hint" in error, f"{method} {path}: {answer}")
    status, text = server.call("GET", "/metrics")
    check(status == 200 and 'wherry_feed_state{feed="a",state="failed"} 1' in text, text)
    check(server.call("GET", "/healthz")[0] == 200, "no health")
    check("/api/v1/feeds/{name}" in server.call("GET", "/api/v1/openapi.json")[1]["paths"], "paths")


@test(dialects=())
def test_a_restart_keeps_the_feeds(t):
    folder = _folder()
    server = _serve(t, folder)
    for name in ("on", "off"):
        _create(server, name, include=[f"{name}.*"])
        _wait_state(server, name, "failed")
    _feed(t, server, "pause", "off")
    server.terminate()
    server.expect(0)
    server = _serve(t, folder)
    check(_state(server, "off") == "stopped", "the paused feed was started")
    _wait_state(server, "on", "failed")
    check("feed on" in server.err and "feed off" not in server.err, server.tail)
    status, body = server.call("GET", "/api/v1/feeds/on")
    check(status == 200 and body["config"]["include"] == ["on.*"], body)


@test(dialects=())
def test_a_second_server_is_refused(t):
    folder = _folder()
    server = _serve(t, folder)
    second = wherry.run(t, "serve", "--data-dir", folder, "--api", "127.0.0.1:0")
    check(second.child.returncode == wherry.EXIT_REFUSED, second.tail)
    check(folder in second.err and str(server.child.pid) in second.err, second.tail)
    _create(server, "a")


@test(dialects=())
def test_the_state_is_for_its_account_alone(t):
    folder = _folder()
    server = _serve(t, folder)
    _create(server, "a")
    check(stat.S_IMODE(os.stat(folder).st_mode) == 0o700, "others may enter the folder")
    for name in os.listdir(folder):
        mode = stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)
        check(mode & 0o077 == 0, f"{name} has mode {mode:o}")


@test(dialects=())
def test_what_was_answered_survives_kill_9(t):
    """Feeds are made, paused and removed until the process is killed; every answer still holds."""
    folder = _folder()
    for round_number in range(t.rounds or 3):
        server = _serve(t, folder)
        answered = {}

        def steer(server=server, answered=answered, number=round_number):
            for i in range(100_000):
                name = f"f-{number}-{i}"
                try:
                    if server.call("POST", "/api/v1/feeds", {"name": name, **_KEYS})[0] != 201:
                        return
                    answered[name] = "running"
                    if i % 3 and server.call("POST", f"/api/v1/feeds/{name}/pause")[0] == 202:
                        answered[name] = "paused"
                    if i % 3 == 2 and server.call("DELETE", f"/api/v1/feeds/{name}")[0] == 202:
                        answered[name] = "removed"
                except (OSError, http.client.HTTPException):
                    return

        steering = threading.Thread(target=steer)
        steering.start()
        wait_until(lambda: len(answered) >= 10 + 7 * round_number, 30, "some feeds")
        server.kill9()
        steering.join()
        again = _serve(t, folder)
        wait_until(
            lambda: not any(
                f["wanted"] == "removed" for f in again.call("GET", "/api/v1/feeds")[1]["feeds"]
            ),
            20,
            "removals to end",
        )
        found = {f["name"]: f["wanted"] for f in again.call("GET", "/api/v1/feeds")[1]["feeds"]}
        for name, wanted in answered.items():
            last = name == list(answered)[-1]  # more may have been done than was answered
            kept = found.get(name, "removed")
            check(kept == wanted or last, f"{name} is {kept}, was answered {wanted}")
        again.kill9()


@test(dialects=())
def test_events_tell_states(t):
    server = _serve(t, _folder())
    _create(server, "a")
    _wait_state(server, "a", "failed")
    with socket.create_connection(("127.0.0.1", server.api_port()), 20) as link:
        link.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        stream = link.makefile("r", encoding="utf-8", newline="\n")
        seen = []

        def read_until(word):
            for line in stream:
                seen.append(line)
                if word in line:
                    return

        read_until("event: status")
        server.call("POST", "/api/v1/feeds/a/pause")
        read_until("event: state")
        read_until('"state":"stopped"')
        read_until("event: status")
        read_until("event: status")
        server.terminate()
        server.expect(0)
    text = "".join(seen)
    check(not any(password in text for password in _PASSWORDS), "a password in the events")


@test(dialects=())
def test_a_server_without_feeds_ends_at_once(t):
    server = _serve(t, _folder())
    status, body = server.call("GET", "/api/v1/status")
    check(status == 200 and body["job"] == "serve" and body["feeds"] == [], body)
    server.terminate()
    server.expect(0)


@test(dialects=("mariadb",))
def test_a_running_feed_is_steered(t):
    """Changes wait for a stop, a pause keeps its place, and the metrics and the pages follow."""
    source, target = t.pair()
    data.numbers(source, rows=500)
    server = feeds.Feeds(t).start()
    server.create("bulk", source, target, include=["bulk.*"])
    server.wait_copied("bulk")
    refused = server.call("PATCH", "/feeds/bulk", {"lanes": 2}, expect=(409,))
    check("lanes" in refused["error"]["message"] and "pause" in refused["error"]["hint"], refused)
    server.call("PATCH", "/feeds/bulk", {"stall-after": "5s"})
    server.call("POST", "/feeds/bulk/syncpoint")
    _feed(t, server.run, "pause", "bulk")
    reached = server.look("bulk")
    check(reached["state"] == "stopped" and reached["checkpoint"]["position"], reached)
    source.execute("UPDATE bulk.t1 SET v=v+1 WHERE id<100")
    _feed(t, server.run, "update", "bulk", "--lanes", "2")
    server.kill9()
    server.start()
    check(server.look("bulk")["state"] == "stopped", "a paused feed was started")
    _feed(t, server.run, "resume", "bulk")
    server.wait_applied("bulk", source)
    oracle.require_equal(source, target)
    shown = server.look("bulk")
    check(shown["state"] == "normal" and shown["config"]["lanes"] == "2", shown)
    check(shown["checkpoint"]["cseq"] > reached["checkpoint"]["cseq"], (reached, shown))
    _, metrics = server.run.call("GET", "/metrics")
    check('wherry_feed_running{feed="bulk"} 1' in metrics, metrics)
    check("normal" in _feed(t, server.run, "list").out, "it is not listed as normal")
    _feed(t, server.run, "remove", "bulk")
    server.stop()
