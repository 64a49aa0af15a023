"""A server of feeds and what tests ask of it."""
from . import datadirs, wherry
from .framework import check, limit, wait_until
from .servers import Server


class Feeds:
    """One data folder and the `wherry serve` on it; it may die and be started again."""

    def __init__(self, t, folder=None, options=()):
        self.t = t
        self.folder = folder or t.path("serve")
        self.options = options
        self.run = None

    def start(self):
        argv = ["serve", "--data-dir", self.folder, "--api", "127.0.0.1:0", *self.options]
        self.run = wherry.Run(self.t, argv, secrets=datadirs.SECRETS)
        self.run.api_port()
        return self

    def kill9(self):
        self.run.kill9()

    def stop(self, code=wherry.EXIT_DONE):
        self.run.terminate()
        self.run.expect(code, timeout=60)

    def call(self, method, path, body=None, expect=(200, 201, 202)):
        status, answer = self.run.call(method, "/api/v1" + path, body)
        check(status in expect, lambda: f"{method} {path}: HTTP {status}: {answer}\n{self.run.tail()}")
        return answer

    def create(self, name, source, sink, **keys):
        uri = sink.target_uri if isinstance(sink, Server) else sink
        return self.call("POST", "/feeds", {"name": name, "source": source.source_uri, "sink": uri, **keys})

    def look(self, name):
        return self.call("GET", f"/feeds/{name}")

    def wait(self, name, condition, what, timeout=60):
        """Until the feed's document fulfils the condition; a failed feed ends the wait."""

        def fulfilled():
            check(self.run.running(), lambda: f"serve ended\n{self.run.tail()}")
            document = self.look(name)
            if document["state"] == "failed":
                raise AssertionError(f"{name} failed: {document}\n{self.run.tail()}")
            return condition(document)

        wait_until(fulfilled, limit(timeout), lambda: f"{what}: {self.look(name)}\n{self.run.tail()}")

    def wait_copied(self, name, timeout=60):
        def copied(document):
            return document["running"] and document["copied"] and document["state"] == "normal"

        self.wait(name, copied, f"{name} to be copied", timeout)

    def wait_applied(self, name, source, timeout=60):
        """Until all that the source has committed by now is durable at the sink."""
        if source.dialect == "mariadb":
            wanted = source.value("SELECT @@gtid_binlog_pos")
        else:
            wanted = source.value("SELECT @@gtid_executed").replace("\n", "")

        def there(document):
            now = ((document["checkpoint"] or {}).get("position") or {}).get("gtid") or ""
            if source.dialect == "mariadb":
                return _mariadb_contains(now, wanted)
            return source.value("SELECT GTID_SUBSET(%s, %s)", (wanted, now)) == 1

        self.wait(name, there, f"{name} to reach {wanted}", timeout)


def _mariadb_contains(position, wanted):
    def by_domain(text):
        return {p.split("-")[0]: int(p.split("-")[2]) for p in text.split(",") if p}

    have, need = by_domain(position), by_domain(wanted)
    return all(have.get(domain, -1) >= number for domain, number in need.items())
