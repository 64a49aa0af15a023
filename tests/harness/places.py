"""Where things are: the tree, the program under test, the servers' programs, the temporary root."""
import atexit
import os
import shutil
import socket
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(TREE, "tests")
CASES = os.path.join(TESTS, "cases")
LOGS = os.environ.get("WHERRY_TEST_LOGS") or os.path.join(TREE, "build", "test-logs")
MYSQLD = os.path.join(TREE, ".deps", "mysql", "bin", "mysqld")
MARIADBD = os.environ.get("MARIADBD", "/usr/sbin/mariadbd")
MARIADB_INSTALL_DB = os.environ.get("MARIADB_INSTALL_DB", "/usr/bin/mariadb-install-db")

_root = None


def wherry_binary():
    return os.environ.get("WHERRY_BIN") or os.path.join(TREE, "build", "release", "wherry")


def faulty_binary():
    """The program with fault points, which is built beside the one under test."""
    return os.path.join(os.path.dirname(os.path.abspath(wherry_binary())), "wherry_faulty")


def root():
    """The temporary folder of this run; workers of one run share the one that the runner made."""
    global _root
    if _root is None:
        given = os.environ.get("WHERRY_TEST_ROOT")
        if given:
            _root = given
        else:
            # Socket paths are limited to 107 bytes, so the name stays short.
            _root = tempfile.mkdtemp(prefix="wt-", dir=os.environ.get("WHERRY_TEST_DIR", "/tmp"))
            os.environ["WHERRY_TEST_ROOT"] = _root
            owner = os.getpid()
            atexit.register(lambda: os.getpid() == owner and shutil.rmtree(_root, True))
    return _root


def fresh_dir(prefix):
    return tempfile.mkdtemp(prefix=prefix + "-", dir=root())


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def missing(dialect):
    """Why servers of this dialect cannot run here, or None."""
    if dialect == "mysql":
        return None if os.access(MYSQLD, os.X_OK) else "MySQL is not unpacked in .deps/mysql"
    return None if os.access(MARIADBD, os.X_OK) else f"{MARIADBD} is not installed"
