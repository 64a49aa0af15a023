"""Ready data folders: each dialect is initialised once in a run, every server gets a copy.

The accounts that the tests use are made in the template, so that a server answers with them at once.
"""
import fcntl
import os
import shutil
import subprocess
import time

import pymysql

from . import certs, places, processes

# Every test run greps what wherry prints for these, so they must not be ordinary words.
READER_PASSWORD = "rD9:s@e/c%r?e#t zQ"
WRITER_PASSWORD = "wR7:s@e/c%r?e#t xK"
SECRETS = (READER_PASSWORD, WRITER_PASSWORD)

_ACCOUNTS = {
    "mariadb": [
        "CREATE USER reader@'%' IDENTIFIED BY '{reader}'",
        "GRANT SELECT, RELOAD, LOCK TABLES, SHOW VIEW, EVENT, TRIGGER, REPLICATION SLAVE,"
        " BINLOG MONITOR ON *.* TO reader@'%'",
        "CREATE USER writer@'%' IDENTIFIED BY '{writer}'",
        "GRANT ALL PRIVILEGES ON *.* TO writer@'%'",
    ],
    "mysql": [
        "CREATE USER reader@'%' IDENTIFIED BY '{reader}'",
        "GRANT SELECT, RELOAD, LOCK TABLES, SHOW VIEW, EVENT, TRIGGER, REPLICATION SLAVE,"
        " REPLICATION CLIENT ON *.* TO reader@'%'",
        "GRANT SHOW_ROUTINE, XA_RECOVER_ADMIN ON *.* TO reader@'%'",
        "CREATE USER writer@'%' IDENTIFIED BY '{writer}'",
        "GRANT ALL PRIVILEGES ON *.* TO writer@'%'",
    ],
}


def _run(argv, log):
    with open(log, "ab") as out:
        done = subprocess.run(argv, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        with open(log, errors="replace") as text:
            raise RuntimeError(f"{argv[0]} failed:\n{text.read()[-3000:]}")


def _initialise(dialect, folder, log):
    if dialect == "mariadb":
        _run(
            [
                places.MARIADB_INSTALL_DB,
                "--no-defaults",
                "--user=root",
                f"--datadir={folder}",
                # Any other server that starts with this folder removes the temporary tables in it.
                f"--tmpdir={folder}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--innodb-flush-method=nosync",
            ],
            log,
        )
    else:
        _run(
            [
                places.MYSQLD,
                "--no-defaults",
                "--user=root",
                "--initialize-insecure",
                f"--datadir={folder}",
                "--innodb-flush-method=nosync",
            ],
            log,
        )


def _add_accounts(dialect, folder, log):
    """Runs the new server once, without network and log, for its accounts and its key files."""
    socket = os.path.join(places.root(), f"init-{dialect}.sock")
    program = places.MARIADBD if dialect == "mariadb" else places.MYSQLD
    argv = [
        program,
        "--no-defaults",
        "--user=root",
        f"--datadir={folder}",
        f"--socket={socket}",
        "--skip-networking",
        "--skip-log-bin",
        "--innodb-flush-method=nosync",
        f"--pid-file={socket}.pid",
    ]
    if dialect == "mysql":
        argv.append("--mysqlx=OFF")
    with open(log, "ab") as out:
        child = processes.spawn(argv, stdout=out, stderr=out)
    deadline = time.monotonic() + 60
    while True:
        try:
            session = pymysql.connect(unix_socket=socket, user="root", autocommit=True)
            break
        except pymysql.MySQLError:
            if child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the new {dialect} server does not answer; see {log}")
            time.sleep(0.05)
    with session, session.cursor() as cursor:
        for statement in _ACCOUNTS[dialect]:
            cursor.execute(statement.format(reader=READER_PASSWORD, writer=WRITER_PASSWORD))
        cursor.execute("SHUTDOWN")
    child.wait(timeout=60)
    processes.forget(child)


def _template(dialect):
    ready = os.path.join(places.root(), f"template-{dialect}")
    with open(ready + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(ready):
            work = ready + ".new"
            log = ready + ".log"
            shutil.rmtree(work, ignore_errors=True)
            _initialise(dialect, work, log)
            _add_accounts(dialect, work, log)
            # Two servers with one UUID would take each other's transactions for their own.
            auto = os.path.join(work, "auto.cnf")
            if os.path.exists(auto):
                os.remove(auto)
            os.rename(work, ready)
    return ready


def fill(dialect, folder):
    """Makes `folder` the data folder of a new server."""
    subprocess.run(["cp", "-r", "--sparse=always", _template(dialect), folder], check=True)


def tls_folder():
    """The certificates of this run (ca.pem, other-ca.pem, server-cert.pem, server-key.pem)."""
    ready = os.path.join(places.root(), "tls")
    with open(ready + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(ready):
            certs.make(ready + ".new")
            os.rename(ready + ".new", ready)
    return ready
