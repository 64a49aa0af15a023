"""Seeded writers that make trouble for a copy: hot keys, changed keys, swaps, rollbacks, big
transactions.

Each writer is a thread with its own session and its own random numbers. The tables are made by
`workload_tables`. Statements may lose against others (duplicate key, deadlock); anything else that
goes wrong stops the writer and is raised by `stop()`.
"""
import random
import threading
import time

import pymysql

from . import workload_tables
from .patience import limit
from .workload_tables import DATABASE, FOREIGN_KEY_DATABASE

# Duplicate key, deadlock, lock wait, foreign key violations, record changed (MariaDB).
_HARMLESS = {1062, 1213, 1205, 1451, 1452, 1020}
_READ_ONLY = 1290
_ROLLED_BACK = {1213, 1205}


class Writer(threading.Thread):
    def __init__(self, workload, number):
        super().__init__(name=f"writer-{number}", daemon=True)
        self.workload = workload
        self.random = random.Random(f"{workload.seed}/{number}")
        self.number = number
        self.transactions = 0
        self.error = None
        self.cursor = None

    def run(self):
        try:
            with self.workload.server.connect(autocommit=False, **self.workload.account) as session:
                self.cursor = session.cursor()
                self.cursor.execute("SET SESSION innodb_lock_wait_timeout=2")
                while not self.workload.stopping.is_set():
                    begin = time.monotonic()
                    self._transaction(session)
                    took = time.monotonic() - begin
                    pause = self.random.random() * 2 * self.workload.pause
                    # By the factor of --patience, so that a slow build can keep up.
                    pause = limit(took + pause) - took
                    if pause > 0:
                        self.workload.stopping.wait(pause)
        except Exception as error:
            if not (self.workload.server_may_die and isinstance(error, pymysql.MySQLError)):
                self.error = error

    def _transaction(self, session):
        try:
            self._statements()
            if self.random.random() < 0.12:
                session.rollback()
            else:
                session.commit()
                self.transactions += 1
        except pymysql.MySQLError as error:
            if error.args[0] == _READ_ONLY and self.workload.account:
                self.workload.fenced.set()
                time.sleep(0.05)
            elif error.args[0] not in _HARMLESS:
                raise
            session.rollback()

    def _statements(self):
        rng = self.random
        if rng.random() < 0.25:
            self._count()
        if rng.random() < 0.02:
            self._big()
            return
        for number in range(rng.choice((1, 1, 1, 2, 3, 6))):
            saved = rng.random() < 0.1
            if saved:
                self.cursor.execute(f"SAVEPOINT s{number}")
            try:
                rng.choice(self.workload.actions)(self)
            except pymysql.MySQLError as error:
                if error.args[0] not in _HARMLESS or error.args[0] in _ROLLED_BACK:
                    raise
            if saved and rng.random() < 0.5:
                self.cursor.execute(f"ROLLBACK TO SAVEPOINT s{number}")

    def run_sql(self, statement, *args):
        self.cursor.execute(statement.replace("@", DATABASE + "."), args)

    def key(self):
        """A key of the integer tables, from the hot ones often; negative ones and zero as well."""
        rng, rows = self.random, self.workload.rows
        if rng.random() < 0.3:
            return rng.choice(self.workload.hot)
        return rng.randint(-rows // 2, rows + rows // 2)

    def text(self):
        return "".join(
            self.random.choice("abAB zéÉ_%'\\ñ") for _ in range(self.random.randint(0, 12))
        )

    def _count(self):
        """A counter and a row without a key in one transaction: they show what is applied twice."""
        number = self.random.randint(1, 10)
        self.run_sql("UPDATE @tally SET n=n+1 WHERE id=%s", number)
        if self.workload.keyless:
            self.run_sql("INSERT INTO @bag VALUES (%s, 'counted')", number)

    def _big(self):
        rng, rows = self.random, self.workload.rows
        begin = rng.randint(-rows // 2, rows)
        width = rng.randint(100, max(101, rows // 2))
        choice = rng.random()
        if choice < 0.5:
            self.run_sql(
                "UPDATE @numbers SET v=v+1 WHERE id BETWEEN %s AND %s", begin, begin + width
            )
        elif choice < 0.7:
            self.run_sql(
                "DELETE FROM @numbers WHERE id BETWEEN %s AND %s", begin, begin + width // 4
            )
        else:
            self.run_sql(
                "INSERT IGNORE INTO @numbers (id, v, pad) SELECT id+%s, v, pad FROM"
                " @numbers WHERE id BETWEEN %s AND %s",
                width,
                begin,
                begin + width,
            )


class Workload:
    """The writers of one seed on one server. `pause` is the mean pause between transactions, in s."""

    def __init__(
        self,
        server,
        seed,
        *,
        rows=1500,
        threads=2,
        pause=0.0,
        keyless=True,
        foreign_keys=False,
        account=None,
    ):
        self.server = server
        # (user, password) of the writers where root is too mighty, as it is for read_only.
        self.account = {"user": account[0], "password": account[1]} if account else {}
        self.seed = seed
        self.rows = rows
        self.pause = pause
        self.keyless = keyless
        self.foreign_keys = foreign_keys
        self.server_may_die = False
        self.stopping = threading.Event()
        self.fenced = threading.Event()  # a writer met read_only
        rng = random.Random(f"{seed}")
        self.hot = [rng.randint(-rows // 4, rows) for _ in range(20)]
        self.actions = workload_tables.actions(keyless, foreign_keys)
        self._threads = threads
        self._writers = []

    def create(self):
        workload_tables.create(self.server, self.seed, self.rows, self.keyless, self.foreign_keys)
        return self

    def databases(self):
        return [DATABASE] + ([FOREIGN_KEY_DATABASE] if self.foreign_keys else [])

    def start(self):
        self.stopping.clear()
        # New random numbers each time, still the same for the same seed.
        first = len(self._writers)
        begun = [Writer(self, first + n) for n in range(self._threads)]
        self._writers += begun
        for writer in begun:
            writer.start()
        return self

    def stop(self):
        self.stopping.set()
        for writer in self._writers:
            writer.join(timeout=30)
        for writer in self._writers:
            if writer.error is not None:
                raise writer.error
        return self.transactions()

    def transactions(self):
        return sum(writer.transactions for writer in self._writers)

    def let_run(self, seconds):
        """Lets the writers go on for this long; ends early when one of them broke."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not any(w.error for w in self._writers):
            time.sleep(0.02)
