"""Lag at a steady load: how long after its commit at the source a row is seen at the target.

One row is stamped every 10 ms; a reader at the target looks at it all the time and notes how old a
stamp is when it sees it first. Both clocks are this process's own.
"""

import threading
import time

import data

STAMP_S = 0.01
CHUNK = 20  # transactions a call of the workload


def create_stamp(source):
    source.run(f"CREATE TABLE {data.DATABASE}.stamp (id INT PRIMARY KEY, sent BIGINT NOT NULL)",
               f"INSERT INTO {data.DATABASE}.stamp VALUES (1, 0)")


class SteadyLoad:
    """`rate` transactions a second in all, by the workload's own connections, until stop().
    call: a procedure of (connection, first transaction, transactions). Without connections there
    are stamps alone."""

    def __init__(self, source, rate, call="small", database=data.DATABASE, stamps=True,
                 connections=data.CONNECTIONS):
        self.source = source
        self.call = call
        self.database = database
        self.pause = CHUNK * connections / rate
        self.stopping = threading.Event()
        self.done = [0] * connections
        self.threads = [threading.Thread(target=self.work, args=(conn,), daemon=True)
                        for conn in range(connections)]
        if stamps:
            self.threads.append(threading.Thread(target=self.stamp, daemon=True))

    def start(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        return sum(self.done) / (time.monotonic() - self.began)

    def work(self, conn):
        with self.source.connect(self.database) as connection, connection.cursor() as cursor:
            due = time.monotonic()
            while not self.stopping.is_set():
                cursor.execute(f"CALL {self.call}({conn}, {self.done[conn]}, {CHUNK})")
                self.done[conn] += CHUNK
                due += self.pause
                self.stopping.wait(max(0.0, due - time.monotonic()))

    def stamp(self):
        with self.source.connect(self.database) as connection, connection.cursor() as cursor:
            while not self.stopping.wait(STAMP_S):
                cursor.execute("UPDATE stamp SET sent = %s WHERE id = 1", (time.time_ns(),))


def read_lags(target, seconds):
    """The age in milliseconds of each stamp when it was first seen."""
    lags, last = [], 0
    with target.connect() as connection, connection.cursor() as cursor:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            cursor.execute(f"SELECT sent FROM {data.DATABASE}.stamp WHERE id = 1")
            row = cursor.fetchone()
            if row and row[0] > last:
                lags.append((time.time_ns() - row[0]) / 1e6)
                last = row[0]
            time.sleep(0.001)
    return lags


def percentiles(lags):
    ordered = sorted(lags)
    if not ordered:
        return {"stamps": 0, "p50_ms": None, "p99_ms": None, "max_ms": None}
    return {"stamps": len(ordered), "p50_ms": ordered[len(ordered) // 2],
            "p99_ms": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)],
            "max_ms": ordered[-1]}
