"""One `wherry serve` and what a measurement asks of it."""

import http.client
import json
import re
import signal
import time
from pathlib import Path

from measure import Failed, process_cpu
from servers import ROOT

WHERRY = ROOT / "build" / "release" / "wherry"


class FeedServer:
    """with FeedServer(job) as server: ...; it is stopped at the end, and its CPU is the job's."""

    def __init__(self, job):
        self.job = job
        self.process = None

    def __enter__(self):
        self.process = self.job.tool.start([WHERRY, "serve", "--data-dir", self.job.folder / "serve",
                                            "--api", "127.0.0.1:0"])
        try:
            self.address = self.find_address()
        except BaseException:  # nobody else knows of the process
            self.process.kill()
            raise
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.stop()
        else:
            self.process.kill()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.job.tool.wait(self.process)

    def find_address(self):
        deadline = time.monotonic() + 30
        log = Path(self.job.tool.log)
        while not (found := re.search(r"api listening on http://([^\s]+)", log.read_text())):
            self.check(deadline)
            time.sleep(0.005)
        return found.group(1)

    def check(self, deadline):
        if self.process.poll() is not None:
            raise Failed("serve ended: " + self.job.tool.last_words())
        if time.monotonic() > deadline:
            raise Failed("serve did not get there: " + self.job.tool.last_words())

    @property
    def cpu(self):
        return process_cpu(self.process.pid)

    def call(self, method, path, body=None):
        client = http.client.HTTPConnection(self.address, timeout=30)
        client.request(method, "/api/v1" + path, json.dumps(body) if body else None,
                       {"Content-Type": "application/json"})
        answer = client.getresponse()
        text = answer.read().decode()
        client.close()
        if answer.status >= 300:
            raise Failed(f"{method} {path}: {answer.status} {text}")
        return json.loads(text)

    def create(self, name, source, sink, **keys):
        self.call("POST", "/feeds", {"name": name, "source": source.uri, "sink": sink, **keys})

    def feeds(self):
        """By name; each with `gtid`, where it is durable, and with its figures as numbers."""
        out = {}
        for feed in self.call("GET", "/feeds")["feeds"]:
            if feed["state"] in ("failed", "warning"):
                raise Failed(f"the feed: {feed}")
            feed["gtid"] = ((feed["checkpoint"] or {}).get("position") or {}).get("gtid")
            for figure in ("transactions", "changes"):
                feed[figure] = feed.get(figure) or 0
            out[feed["name"]] = feed
        return out

    def wait(self, name, condition, timeout=900, pause=0.02):
        """Until it holds for the feed; its document then."""
        deadline = time.monotonic() + timeout
        while not condition(feed := self.feeds()[name]):
            self.check(deadline)
            time.sleep(pause)
        return feed

    def wait_all(self, condition, timeout=900, pause=0.2):
        deadline = time.monotonic() + timeout
        while not all(condition(feed) for feed in self.feeds().values()):
            self.check(deadline)
            time.sleep(pause)
