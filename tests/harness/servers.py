"""Private MariaDB and MySQL servers for tests: loopback only, own folder, gone with the test process.

`take(dialect, ...)` hands out a clean server; `give_back(server)` cleans it for the next test, since
starting one costs more than most tests. Root connects over the socket without a password; wherry is
given the accounts `reader` (source) and `writer` (target) of `datadirs`.
"""
import os
import shutil
import signal
import time
import urllib.parse

import pymysql

from . import datadirs, places, processes

SYSTEM_DATABASES = ("mysql", "information_schema", "performance_schema", "sys")

_COMMON = {
    "bind-address": "127.0.0.1",
    "skip-name-resolve": "ON",
    "binlog-format": "ROW",
    "sync-binlog": "0",
    "innodb-flush-log-at-trx-commit": "2",
    "innodb-flush-method": "nosync",
    "innodb-buffer-pool-size": "96M",
    "max-allowed-packet": "256M",
    "max-connections": "200",
    "character-set-server": "utf8mb4",
    "local-infile": "ON",
    "innodb-lock-wait-timeout": "20",
    "log-bin": "binlog",
    "default-time-zone": "+00:00",
    "log-slave-updates": "ON",
}
_OWN = {
    "mariadb": {
        "performance-schema": "OFF",
        "innodb-log-file-size": "128M",
        "key-buffer-size": "8M",
        "aria-pagecache-buffer-size": "8M",
    },
    "mysql": {
        "mysqlx": "OFF",
        "innodb-redo-log-capacity": "256M",
        "gtid-mode": "ON",
        "enforce-gtid-consistency": "ON",
        "log-slave-updates": None,
        "log-replica-updates": "ON",
    },
}
# Set by the server itself while it runs; a difference there is no leftover of a test.
_NOT_SETTINGS = (
    "gtid_",
    "timestamp",
    "innodb_buffer_pool_",
    "rand_seed",
    "last_",
    "wsrep_",
    "optimizer_trace",
    "log_bin_index",
    "read_only",
)

_next_server_id = [int.from_bytes(os.urandom(2), "big") * 1000 + 1]


class Server:
    """One server process with its own folder. Start it from the main thread."""

    def __init__(self, dialect, options=None):
        self.dialect = dialect
        self.options = dict(options or {})
        self.folder = places.fresh_dir("m" if dialect == "mariadb" else "y")
        self.socket = os.path.join(self.folder, "s")
        self.datadir = os.path.join(self.folder, "data")
        self.error_log = os.path.join(self.folder, "error.log")
        self.port = places.free_port()
        self.server_id = _next_server_id[0]
        _next_server_id[0] += 1
        self.child = None
        self.frozen = False
        self.baseline = None
        datadirs.fill(dialect, self.datadir)

    def _argv(self):
        settings = {
            **_COMMON,
            **_OWN[self.dialect],
            "server-id": str(self.server_id),
            "port": str(self.port),
            "socket": self.socket,
            "datadir": self.datadir,
            # A server that starts removes what looks like its own temporary tables, others' too.
            "tmpdir": self.folder,
            "pid-file": os.path.join(self.folder, "pid"),
            "log-error": self.error_log,
        }
        tls = datadirs.tls_folder()
        settings.update(
            {
                "ssl-ca": f"{tls}/ca.pem",
                "ssl-cert": f"{tls}/server-cert.pem",
                "ssl-key": f"{tls}/server-key.pem",
            }
        )
        settings.update(self.options)
        if "skip-log-bin" in settings:
            settings["log-bin"] = None
        program = places.MARIADBD if self.dialect == "mariadb" else places.MYSQLD
        argv = [program, "--no-defaults", "--user=root"]
        for name, value in settings.items():
            if value is not None:
                argv.append(f"--{name}={value}" if value != "" else f"--{name}")
        return argv

    def start(self, timeout=60):
        with open(os.path.join(self.folder, "output"), "ab") as out:
            self.child = processes.spawn(self._argv(), stdout=out, stderr=out, cwd=self.folder)
        deadline = time.monotonic() + timeout
        while True:
            try:
                self.connect().close()
                return self
            except pymysql.MySQLError as error:
                if self.child.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{self} does not start: {error}\n{self.log_tail()}")
                time.sleep(0.03)

    def log_tail(self, size=2000):
        try:
            with open(self.error_log, errors="replace") as text:
                return text.read()[-size:]
        except FileNotFoundError:
            return "(no error log)"

    def stop(self):
        """A clean shutdown; the folder stays, so that start() brings the same server back."""
        if self.child is None:
            return
        self.thaw()
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(timeout=30)
            except Exception:
                self.child.kill()
                self.child.wait(timeout=10)
        processes.forget(self.child)
        self.child = None

    def kill9(self):
        self.child.kill()
        self.child.wait(timeout=10)
        processes.forget(self.child)
        self.child = None
        self.frozen = False

    def freeze(self):
        os.kill(self.child.pid, signal.SIGSTOP)
        self.frozen = True

    def thaw(self):
        if self.frozen and self.child is not None:
            os.kill(self.child.pid, signal.SIGCONT)
        self.frozen = False

    def restart(self, options=None):
        self.stop()
        if options:
            self.options.update(options)
        return self.start()

    def remove(self):
        if self.child is not None and self.child.poll() is None:
            self.kill9()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self, database=None, **more):
        given = {
            "unix_socket": self.socket,
            "user": "root",
            "autocommit": True,
            "charset": "utf8mb4",
            "database": database,
            "max_allowed_packet": 256 << 20,
            "connect_timeout": 10,
        }
        given.update(more)
        return pymysql.connect(**given)

    def execute(self, *statements, database=None):
        with self.connect(database) as session, session.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def rows(self, query, args=None, database=None):
        with self.connect(database) as session, session.cursor() as cursor:
            cursor.execute(query, args)
            return list(cursor.fetchall())

    def value(self, query, args=None, database=None):
        found = self.rows(query, args, database)
        return found[0][0] if found else None

    def uri(self, user, password, *, socket=False, **options):
        """The URI of this server for wherry; parts are percent-encoded."""
        who = urllib.parse.quote(user, safe="")
        if password is not None:
            who += ":" + urllib.parse.quote(password, safe="")
        where = "localhost" if socket else f"127.0.0.1:{self.port}"
        if socket:
            options = {"socket": self.socket, **options}
        query = "&".join(
            f"{name.replace('_', '-')}={urllib.parse.quote(str(value), safe='/')}"
            for name, value in options.items()
        )
        return f"mysql://{who}@{where}/" + ("?" + query if query else "")

    @property
    def source_uri(self):
        return self.uri("reader", datadirs.READER_PASSWORD)

    @property
    def target_uri(self):
        return self.uri("writer", datadirs.WRITER_PASSWORD)

    def user_databases(self):
        return [
            row[0]
            for row in self.rows("SELECT schema_name FROM information_schema.schemata")
            if row[0] not in SYSTEM_DATABASES
        ]

    def settings(self):
        return {
            name: value
            for name, value in self.rows("SHOW GLOBAL VARIABLES")
            if not name.lower().startswith(_NOT_SETTINGS)
        }

    def __str__(self):
        return f"{self.dialect} server on port {self.port}"


def _drop_databases(server, session):
    with session.cursor() as cursor:
        cursor.execute("SET SESSION foreign_key_checks=0")
        for name in server.user_databases():
            cursor.execute("DROP DATABASE `%s`" % name.replace("`", "``"))


def drop_user_databases(server):
    """Empties the server of data, and of this in its binlog as well as native tools would see it."""
    with server.connect() as session:
        _drop_databases(server, session)


def _scrub(server):
    """Brings a used server back to the state of a new one, apart from its binlog."""
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM information_schema.processlist WHERE user<>'system user'"
            " AND user<>'event_scheduler' AND id<>connection_id()"
        )
        for (number,) in cursor.fetchall():
            try:
                cursor.execute(f"KILL {number}")
            except pymysql.MySQLError:
                pass  # It ended by itself.
        cursor.execute("XA RECOVER")
        for _format, gtrid, bqual, both in cursor.fetchall():
            raw = both.encode() if isinstance(both, str) else both
            cursor.execute(
                "XA ROLLBACK X'%s', X'%s', %d"
                % (raw[:gtrid].hex(), raw[gtrid : gtrid + bqual].hex(), _format)
            )
        cursor.execute("SET GLOBAL read_only=0")
        _drop_databases(server, session)
        cursor.execute(
            "SELECT user, host FROM mysql.user WHERE user NOT IN ('root','reader',"
            "'writer') AND user NOT LIKE 'mysql.%' AND user NOT LIKE 'mariadb.%'"
        )
        for user, host in cursor.fetchall():
            cursor.execute("DROP USER %s@%s", (user, host))
        now = server.settings()
        for name, value in server.baseline.items():
            if now.get(name) != value:
                literal = value if value.lstrip("-").isdigit() else f"'{value}'"
                cursor.execute(f"SET GLOBAL {name}={literal}")


class Pool:
    """Servers that wait for their next test, by dialect and options."""

    def __init__(self, keep=6):
        self._idle = []
        self._keep = keep

    def take(self, dialect, options=None):
        """A running, empty server with these options."""
        options = dict(options or {})
        for server in self._idle:
            if server.dialect == dialect and server.options == options:
                self._idle.remove(server)
                return server
        server = Server(dialect, options).start()
        server.baseline = server.settings()
        return server

    def give_back(self, server):
        """Keeps the server when it can be cleaned; else it goes, and a new one starts when needed."""
        alive = server.child is not None and server.child.poll() is None and not server.frozen
        try:
            if not alive or server.baseline is None:
                raise RuntimeError("not reusable")
            _scrub(server)
        except Exception:
            server.remove()
            return
        self._idle.append(server)
        if len(self._idle) > self._keep:
            self._idle.pop(0).remove()

    def close(self):
        for server in self._idle:
            server.remove()
        self._idle.clear()


pool = Pool()
