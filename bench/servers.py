"""Private servers for measurements: the same durability and sizes for every peer, byte copies of
prepared data folders, loopback only. Root connects over the socket without a password."""

import atexit
import itertools
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pymysql

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "build" / "bench"
MYSQL = ROOT / ".deps" / "mysql" / "bin"
PROGRAMS = {
    "mariadb": {"server": "/usr/sbin/mariadbd", "client": "mariadb", "dump": "mariadb-dump",
                "binlog": "mariadb-binlog"},
    "mysql": {"server": MYSQL / "mysqld", "client": MYSQL / "mysql", "dump": MYSQL / "mysqldump",
              "binlog": MYSQL / "mysqlbinlog"},
}
COMMON = ["--no-defaults", "--user=root", "--bind-address=127.0.0.1", "--skip-name-resolve",
          "--innodb-flush-log-at-trx-commit=2", "--sync-binlog=0", "--binlog-format=ROW",
          "--binlog-row-image=FULL", "--binlog-row-metadata=FULL", "--log-bin=binlog",
          "--performance-schema=OFF", "--max-allowed-packet=256M", "--max-connections=200",
          "--character-set-server=utf8mb4", "--local-infile=ON", "--secure-file-priv=",
          "--default-time-zone=+00:00", "--max-binlog-size=1G"]
OWN = {
    "mariadb": ["--log-slave-updates=ON", "--innodb-log-file-size={redo}M",
                "--innodb-buffer-pool-dump-at-shutdown=OFF"],
    "mysql": ["--mysqlx=OFF", "--gtid-mode=ON", "--enforce-gtid-consistency=ON",
              "--innodb-redo-log-capacity={redo}M", "--innodb-buffer-pool-dump-at-shutdown=OFF",
              "--pid-file=pid"],
}
server_ids = itertools.count(random.randrange(1, 1 << 20) * 100)
running = set()


@atexit.register
def stop_all():
    for server in list(running):
        server.kill()


def available(dialect):
    return os.access(PROGRAMS[dialect]["server"], os.X_OK)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def copy_folder(source, target):
    """A byte copy, shared blocks where the file system has them; the page cache is warm then."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(target)], check=True)


class Server:
    """One server on one data folder. The folder is `folder`/data; stop() keeps it."""

    def __init__(self, dialect, folder, pool_mb=1024, redo_mb=512):
        self.dialect = dialect
        self.folder = Path(folder)
        self.datadir = self.folder / "data"
        # Sockets have short names whatever the depth of the build folder.
        self.socket = Path(f"/tmp/wb-{os.getpid()}-{next(server_ids)}.sock")
        self.port = free_port()
        self.sizes = [f"--innodb-buffer-pool-size={pool_mb}M"]
        self.own = [option.format(redo=redo_mb) for option in OWN[dialect]]
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    @property
    def uri(self):
        return f"mysql://root@localhost/?socket={self.socket}"

    def program(self, name):
        return PROGRAMS[self.dialect][name]

    def login(self):
        return ["-uroot", f"--socket={self.socket}"]

    def fill_from(self, source, keep_identity=False):
        copy_folder(source, self.datadir)
        if not keep_identity:
            (self.datadir / "auto.cnf").unlink(missing_ok=True)
            (self.datadir / "server_id.txt").unlink(missing_ok=True)
        return self

    def initialize(self):
        shutil.rmtree(self.datadir, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.dialect == "mariadb":
            command = ["mariadb-install-db", "--no-defaults", "--user=root", "--skip-test-db",
                       "--auth-root-authentication-method=normal", f"--datadir={self.datadir}"]
        else:
            command = [self.program("server"), "--no-defaults", "--user=root",
                       "--initialize-insecure", f"--datadir={self.datadir}"]
        with open(self.folder / "init.log", "wb") as log:
            subprocess.run([str(part) for part in command], stdout=log, stderr=log, check=True)
        return self

    def server_id(self):
        """Stays with the data folder, as the identity of a real server does."""
        note = self.datadir / "server_id.txt"
        if not note.exists():
            note.write_text(str(next(server_ids)))
        return note.read_text()

    def start(self):
        command = [self.program("server"), *COMMON, *self.own, *self.sizes,
                   f"--datadir={self.datadir}", f"--socket={self.socket}", f"--port={self.port}",
                   f"--server-id={self.server_id()}", f"--log-error={self.folder / 'error.log'}",
                   f"--tmpdir={self.folder}"]
        with open(self.folder / "output.log", "ab") as log:
            self.process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, start_new_session=True)
        running.add(self)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                self.connect().close()
                return self
            except pymysql.err.OperationalError:
                time.sleep(0.05)
        tail = (self.folder / "error.log").read_text(errors="replace").splitlines()[-5:]
        self.kill()
        raise RuntimeError(f"{self.dialect} did not start: " + " / ".join(tail))

    def connect(self, database=None):
        return pymysql.connect(unix_socket=str(self.socket), user="root", database=database,
                               autocommit=True, charset="utf8mb4", local_infile=True)

    def run(self, *statements, database=None):
        """Runs statements; gives the rows of the last."""
        with self.connect(database) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()

    def one(self, statement):
        return self.run(statement)[0][0]

    def reset_binlog(self):
        self.run("RESET MASTER" if self.dialect == "mariadb" else "RESET BINARY LOGS AND GTIDS")

    def binlog_status(self):
        """(file, offset, GTID set) after everything so far."""
        if self.dialect == "mariadb":
            row = self.run("SHOW MASTER STATUS")[0]
            return row[0], row[1], self.one("SELECT @@gtid_binlog_pos")
        row = self.run("SHOW BINARY LOG STATUS")[0]
        return row[0], row[1], self.one("SELECT @@gtid_executed").replace("\n", "")

    def binlog_files(self):
        return [(row[0], row[1]) for row in self.run("SHOW BINARY LOGS")]

    def checksums(self, database, tables):
        names = ", ".join(f"`{database}`.`{table}`" for table in tables)
        return {name.split(".")[1]: value for name, value, *_ in self.run(f"CHECKSUM TABLE {names}")}

    def freeze(self):
        """It answers nobody until thaw()."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self):
        running.discard(self)
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        for leftover in (self.socket, self.socket.with_suffix(".sock.lock")):
            leftover.unlink(missing_ok=True)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()
