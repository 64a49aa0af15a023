"""The promises of src/storage, kept by a real server of S3.

The unit tests of that room hold the promises; here they are played against a server by its URI, with
the program that the build made of them.
"""
import json
import os
import subprocess

from harness import certs, datadirs, oracle, places, s3, wherry
from harness.framework import check, test
from harness.patience import limit


def _program(name="storage_test"):
    return os.path.join(os.path.dirname(os.path.abspath(places.wherry_binary())), "src/storage", name)


def _need(t):
    if s3.missing():
        t.skip(s3.missing())
    if not os.access(_program(), os.X_OK):
        t.skip(f"{_program()} is not built")


def _play(t, name, uri, env, tests):
    """Runs some of the room's tests against the storage; (exit code, what they said)."""
    environment = {n: v for n, v in os.environ.items() if not n.startswith(("AWS_", "GTEST_"))}
    environment.update(env, WHERRY_TEST_STORAGE=uri, NO_PROXY="*")
    log = t.path(f"{name}.log")
    with open(log, "wb") as out:
        done = subprocess.run(
            [_program(), f"--gtest_filter={tests}"],
            cwd=places.TREE, env=environment, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, timeout=limit(100), check=False,
        )
    with open(log, encoding="utf-8", errors="replace") as text:
        said = text.read()
    for secret in env.values():
        if secret and len(secret) > 20:
            check(secret not in said, "a secret is in the output")
    return done.returncode, said


def _expect_passed(code, said):
    check(code == 0 and "[  PASSED  ]" in said, lambda: f"ended with {code}\n{said[-3000:]}")


@test(dialects=(), needs_wherry=False)
def test_s3_keeps_the_contract(t):
    """Every promise of each kind of storage; keys in the environment."""
    _need(t)
    server = s3.S3Server(t, "plain")
    # This server looks for an object and puts it in two steps, so several can win.
    tests = "*StorageContract*/given:-*OfSeveralAtOnce*"
    code, said = _play(t, "contract", server.uri("redo/feeds"), server.keys(), tests)
    _expect_passed(code, said)
    check("SKIPPED" not in said, lambda: f"something was skipped\n{said[-3000:]}")


@test(dialects=(), needs_wherry=False)
def test_s3_takes_large_objects_in_parts(t):
    _need(t)
    server = s3.S3Server(t, "parts")
    uri = server.uri("large", part_size="5MiB", multipart_above="5MiB", parts_at_once="3")
    _expect_passed(*_play(t, "parts", uri, server.keys(), "*GivenStorage.KeepsLargeObjects*"))


@test(dialects=(), needs_wherry=False)
def test_s3_checks_signatures(t):
    """A server that compares signatures takes ours, and refuses those of another key."""
    _need(t)
    server = s3.S3Server(t, "strict", checks_signatures=True)
    uri = server.uri()
    _expect_passed(*_play(t, "right", uri, server.keys(), "*GivenStorage.TakesOurKeys*"))
    wrong = server.keys(secret_key="wrong" + server.secret_key)
    _expect_passed(*_play(t, "wrong", uri, wrong, "*GivenStorage.RefusesOurKeys*"))
    keys = t.path("keys")
    with open(keys, "w", encoding="utf-8") as file:
        file.write(
            f"[mine]\naws_access_key_id={server.access_key}\n"
            f"aws_secret_access_key={server.secret_key}\n"
        )
    uri = server.uri(credentials=keys, profile="mine")
    _expect_passed(*_play(t, "file", uri, {}, "*GivenStorage.TakesOurKeys*"))


@test(dialects=(), needs_wherry=False)
def test_s3_over_tls(t):
    """A certificate is checked; one of an unknown authority is refused."""
    _need(t)
    folder = t.path("certs")
    certs.make(folder)
    pair = (f"{folder}/server-cert.pem", f"{folder}/server-key.pem")
    server = s3.S3Server(t, "tls", certificate=pair)
    good = server.uri("tls", tls_ca=f"{folder}/ca.pem")
    _expect_passed(*_play(t, "good", good, server.keys(), "*GivenStorage.TakesOurKeys*"))
    for name, options in (("none", {}), ("other", {"tls_ca": f"{folder}/other-ca.pem"})):
        uri = server.uri("tls", **options)
        _expect_passed(*_play(t, name, uri, server.keys(), "*GivenStorage.RefusesOurKeys*"))


@test(dialects=(), needs_wherry=False)
def test_s3_bucket_that_is_not_there(t):
    _need(t)
    server = s3.S3Server(t, "bucket")
    uri = server.uri().replace("s3://bucket", "s3://nobodys")
    _expect_passed(*_play(t, "missing", uri, server.keys(), "*GivenStorage.RefusesOurKeys*"))


@test(timeout=240, dialects=("mariadb",))
def test_redo_of_a_copy_in_s3(t):
    """A whole copy with its redo in a bucket: what stands there is whole, and no key is ever said."""
    if s3.missing():
        t.skip(s3.missing())
    server = s3.S3Server(t, "redo")
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE shop",
        "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO shop.t SELECT seq, 0 FROM shop.seq_1_to_1000",
    )
    secrets = datadirs.SECRETS + (server.secret_key,)
    more = {"env": server.keys(), "secrets": secrets}
    storage = server.uri("redo")
    copy = wherry.start_streaming(t, source, target, "--redo", storage, **more)
    for number in range(200):
        source.execute(f"UPDATE shop.t SET v=v+1 WHERE id % 50 = {number % 50}")
    check(copy.cutover() == wherry.EXIT_DONE, copy.tail)
    oracle.require_equal(source, target)
    done = wherry.run(t, "redo", "verify", "--storage", storage, "--json", timeout=60, **more)
    done.expect(wherry.EXIT_DONE)
    verdict = json.loads(done.out)
    check(verdict["ok"] and verdict["files"] > 0, lambda: f"{verdict}")
