"""How a test is declared and what it is given.

A test is a function with `@test(...)` that takes a Context; it runs once for each dialect (or pair of
dialects, "mariadb>mysql") that it names. With `@batch(items=...)` one run gives many results, one an
item. A test fails by raising; `Context.skip` leaves it out with a reason.
"""
import os
import re
import shutil
import time

from . import places, processes, servers
from .patience import limit

BOTH = ("mariadb", "mysql")
ALL_PAIRS = ("mariadb>mariadb", "mysql>mysql", "mariadb>mysql", "mysql>mariadb")


class Skip(Exception):
    """Raised to leave a test out; its text is the reason."""


class Test:
    def __init__(self, function, options):
        self.function = function
        self.module = re.sub(r"^test_", "", function.__module__.split(".")[-1])
        self.name = f"{self.module}.{re.sub(r'^test_', '', function.__name__)}"
        self.dialects = options.get("dialects", BOTH)
        self.parallel = options.get("parallel", True)
        self.timeout = options.get("timeout", 120)
        self.needs_wherry = options.get("needs_wherry", True)
        self.items = options.get("items")

    def missing(self, dialect):
        for one in filter(None, dialect.split(">")):
            reason = places.missing(one)
            if reason:
                return reason
        return None


_declared = []


def test(**options):
    """Declares a test. Options: dialects (() for none), parallel, timeout (s), needs_wherry."""

    def declare(function):
        _declared.append(Test(function, options))
        return function

    return declare


def batch(items, **options):
    """Declares a test with many results; `items(dialect)` lists their names."""
    return test(items=items, **options)


def declared():
    return list(_declared)


class Context:
    """What one run of one test has: its servers, its programs, its folder for logs."""

    def __init__(self, name, dialect, items, settings, folder):
        self.name = name
        first, _, second = dialect.partition(">")
        self.dialect = first
        self.source_dialect = first
        self.target_dialect = second or first
        self.items = items
        self.seeds = settings.get("seeds")
        self.rounds = settings.get("rounds")
        self.first_seed = settings.get("first_seed") or 1
        self.folder = folder
        self.results = {}
        self._servers = []
        self._at_end = []
        self._begin = time.monotonic()

    def log(self, text):
        print(f"[{time.monotonic() - self._begin:8.2f}] {text}", flush=True)

    def skip(self, reason):
        raise Skip(reason)

    def result(self, item, error=None, skip=None):
        """Records the outcome of one item of a batch; the first failure of an item stays."""
        if self.results.get(item, {}).get("error"):
            return
        self.results[item] = {"error": error, "skip": skip}

    def server(self, dialect=None, options=None):
        server = servers.pool.take(dialect or self.dialect, options)
        self._servers.append(server)
        return server

    def pair(self, source_options=None, target_options=None):
        """A source and a target, both clean."""
        return (
            self.server(self.source_dialect, source_options),
            self.server(self.target_dialect, target_options),
        )

    def release(self, *used):
        """Gives servers back before the test ends."""
        for server in used:
            self._servers.remove(server)
            servers.pool.give_back(server)

    def at_end(self, action):
        self._at_end.append(action)

    def path(self, name):
        return os.path.join(self.folder, name)

    def close(self, failed):
        for action in reversed(self._at_end):
            try:
                action()
            except Exception as error:
                print(f"clean-up: {error}")
        for number, server in enumerate(self._servers):
            if failed and os.path.exists(server.error_log):
                shutil.copy(
                    server.error_log,
                    self.path(f"server-{number}-{server.dialect}-{server.port}.log"),
                )
            servers.pool.give_back(server)
        self._servers.clear()


def check(condition, message="check failed"):
    if not condition:
        raise AssertionError(message() if callable(message) else message)


def wait_until(condition, timeout=30, what="the condition", pause=0.05):
    """Polls until `condition` returns something true, and returns it."""
    deadline = time.monotonic() + limit(timeout)
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            what = what() if callable(what) else what
            raise AssertionError(f"{what} did not come true within {timeout} s")
        time.sleep(pause)


__all__ = [
    "ALL_PAIRS",
    "BOTH",
    "Context",
    "Skip",
    "batch",
    "check",
    "declared",
    "processes",
    "test",
    "wait_until",
]
