"""The program under test, run as a user runs it: command line, HTTP API, signals, exit code."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time

from . import datadirs, places, processes, sanitizers
from .patience import limit

EXIT_DONE, EXIT_FAILED, EXIT_REFUSED, EXIT_DIFFERENCES, EXIT_INTERRUPTED = 0, 1, 2, 3, 4
STREAMING = ("catching-up", "waiting-for-cutover")
ENDED = ("done", "failed", "interrupted")

_API_LINE = re.compile(r"(?i)(?:api|http)[^\n]*?127\.0\.0\.1:(\d+)")
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\S+ ")
_counter = [0]


def _without_time(line):
    return _TIME.sub("", line)


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Run:
    """One process of wherry; its output goes to files in the test's folder."""

    def __init__(self, t, argv, env=None, secrets=datadirs.SECRETS, report=False, program=None):
        _counter[0] += 1
        self.base = t.path(f"wherry-{_counter[0]}")
        self.argv = [program or places.wherry_binary()] + [str(a) for a in argv]
        if report:
            self.argv += ["--report", self.base + ".report.json"]
        self.secrets = secrets
        self._t = t
        self._api_port = None
        self.control_socket = None  # asked instead of the address, once a test sets it
        settings = {
            **os.environ,
            "TZ": "America/New_York",
            **sanitizers.settings(self.base),
            **(env or {}),
        }
        with open(self.base + ".out", "wb") as out, open(self.base + ".err", "wb") as err:
            self.child = processes.spawn(self.argv, env=settings, stdout=out, stderr=err)
        t.at_end(self.close)

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait(timeout=20)
        processes.forget(self.child)

    def _read(self, ending):
        with open(self.base + ending, encoding="utf-8", errors="replace") as text:
            return text.read()

    @property
    def out(self):
        return self._read(".out")

    @property
    def err(self):
        return self._read(".err")

    def tail(self, size=1800):
        # Of progress lines only the last tells something, of repeated messages only one.
        lines = self.err.splitlines()
        progress = [line for line in lines if line.startswith("{")][-1:]
        said = {_without_time(line): line for line in lines if not line.startswith("{")}
        err = "\n".join(list(said.values()) + progress)
        return (
            f"command: {' '.join(self.argv[1:2] + self.argv[6:])}\nexit {self.child.poll()}\n"
            f"stderr: {err[-size:]}\nstdout: {self.out[-size // 3:]}"
        )

    def wait(self, timeout=90):
        """Waits for the end and returns the exit code (negative: killed by that signal)."""
        try:
            code = self.child.wait(timeout=limit(timeout))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"wherry did not end within {timeout} s\n{self.tail()}")
        processes.forget(self.child)
        self._refuse_secrets()
        self._refuse_reports()
        return code

    def expect(self, *codes, timeout=90):
        code = self.wait(timeout)
        if code not in codes:
            raise AssertionError(f"exit code {code}, expected {codes}\n{self.tail()}")
        return code

    def _refuse_secrets(self):
        for text in (self.out, self.err):
            for secret in self.secrets:
                if secret in text:
                    raise AssertionError("a password is in the output of wherry")

    def _refuse_reports(self):
        report = sanitizers.report(self.base)
        if report:
            raise AssertionError(f"exit code {self.child.poll()}, {report}")

    def running(self):
        return self.child.poll() is None

    def kill9(self):
        self.child.kill()
        return self.wait(20)

    def terminate(self, number=signal.SIGTERM):
        os.kill(self.child.pid, number)

    def interrupt(self, number=signal.SIGTERM, timeout=40):
        """Stops the run as an operator would; it must end as interrupted."""
        self.terminate(number)
        self.expect(EXIT_INTERRUPTED, timeout=timeout)

    def api_port(self, timeout=20):
        deadline = time.monotonic() + limit(timeout)
        while self._api_port is None:
            found = _API_LINE.search(self.err) or _API_LINE.search(self.out)
            if found:
                self._api_port = int(found.group(1))
                break
            if not self.running() or time.monotonic() > deadline:
                raise AssertionError("wherry printed no API address\n" + self.tail())
            time.sleep(0.02)
        return self._api_port

    def _client(self, timeout):
        if self.control_socket:
            return _SocketConnection(self.control_socket, timeout)
        return http.client.HTTPConnection("127.0.0.1", self.api_port(), timeout=timeout)

    def call(self, method, path, body=None, timeout=10):
        """(status, parsed JSON or text) of one request."""
        client = self._client(limit(timeout))
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            client.request(method, path, None if body is None else json.dumps(body), headers)
            answer = client.getresponse()
            text = answer.read().decode("utf-8", "replace")
        finally:
            client.close()
        for secret in self.secrets:
            if secret in text:
                raise AssertionError(f"a password is in the answer of {method} {path}")
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text

    def copy_state(self):
        """The document of GET /api/v1/copy, or None while the API does not answer (any more)."""
        try:
            status, body = self.call("GET", "/api/v1/copy")
        except (OSError, http.client.HTTPException):
            return None
        return body if status == 200 else None

    def state(self):
        document = self.copy_state()
        return document["state"] if document else None

    def wait_state(self, *names, timeout=60):
        """Waits until the copy is in one of these states; an early end of the program fails."""
        deadline = time.monotonic() + limit(timeout)
        seen = None
        while True:
            seen = self.state() or seen
            if seen in names:
                return seen
            if not self.running():
                raise AssertionError(
                    f"wherry ended before it was {names}, last {seen}\n" + self.tail()
                )
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"state is {seen}, not {names}, after {timeout} s\n" + self.tail()
                )
            time.sleep(0.03)

    def action(self, name, expect=202, body=None):
        status, answer = self.call("POST", f"/api/v1/copy/{name}", body)
        if status != expect:
            raise AssertionError(
                f"{name}: HTTP {status}, expected {expect}: {answer}\n" + self.tail()
            )
        return answer

    def cutover(self, timeout=60):
        """Asks for the cutover as soon as it is possible and returns the exit code."""
        self.wait_state("waiting-for-cutover", timeout=timeout)
        self.action("cutover")
        return self.wait(timeout)

    def report(self):
        with open(self.base + ".report.json", encoding="utf-8") as text:
            content = text.read()
        for secret in self.secrets:
            if secret in content:
                raise AssertionError("a password is in the report")
        return json.loads(content)

    def progress(self):
        """The JSON lines of --progress json, from either stream."""
        found = []
        for line in (self.err + "\n" + self.out).splitlines():
            line = line.strip()
            if line.startswith("{"):
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass  # The last line of a killed run may be cut.
        return found


def run(t, *argv, env=None, secrets=datadirs.SECRETS, timeout=60):
    """Runs wherry to its end; returns the finished Run."""
    done = Run(t, argv, env=env, secrets=secrets)
    done.wait(timeout)
    return done


def start_copy(
    t,
    source,
    target,
    *options,
    cutover="manual",
    env=None,
    api=True,
    report=True,
    source_uri=None,
    target_uri=None,
    secrets=datadirs.SECRETS,
    progress="none",
    program=None,
):
    """Starts `wherry copy` between two servers and returns its Run."""
    argv = [
        "copy",
        "--source",
        source_uri or source.source_uri,
        "--target",
        target_uri or target.target_uri,
        "--cutover",
        cutover,
    ]
    if progress:
        argv += ["--progress", progress]
    if api:
        argv += ["--api", "127.0.0.1:0"]
    return Run(
        t, argv + list(options), env=env, secrets=secrets, report=report, program=program
    )


def start_streaming(t, source, target, *options, **more):
    """Like `start_copy`; returns when all rows are copied and the changes are followed."""
    begun = start_copy(t, source, target, *options, **more)
    begun.wait_state(*STREAMING)
    return begun


def copy(t, source, target, *options, expect=EXIT_DONE, timeout=90, **more):
    """A whole copy with automatic cutover; returns its Run."""
    more.setdefault("cutover", "auto")
    more.setdefault("api", False)
    done = start_copy(t, source, target, *options, **more)
    done.expect(expect, timeout=timeout)
    return done
