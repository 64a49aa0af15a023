"""The shop that `demo.py` moves: its tables, its rows, and the application that writes to it.

The tables hold what copies get wrong: random binary keys, keys that change, values that swap under
a unique index, text in several character sets, floats, zero dates, JSON, a table without any key.
"""
import os
import random
import threading
import time

import pymysql

DATABASE = "shop"
# Between two transactions of a writer, on average, in seconds: a slow machine must keep up as well.
PAUSE = 0.012

_TABLES = (
    "CREATE TABLE customers (id INT NOT NULL AUTO_INCREMENT, email VARCHAR(80) NOT NULL,"
    " name VARCHAR(60) NOT NULL, balance DECIMAL(12,2) NOT NULL DEFAULT 0, score FLOAT NULL,"
    " born DATE NOT NULL DEFAULT '0000-00-00', profile JSON NULL, photo VARBINARY(64) NULL,"
    " PRIMARY KEY (id), UNIQUE KEY by_email (email), KEY by_name (name))"
    " COLLATE utf8mb4_unicode_ci",
    "CREATE TABLE products (sku CHAR(10) CHARACTER SET latin1 NOT NULL, title TEXT NOT NULL,"
    " price DECIMAL(10,3) UNSIGNED NOT NULL, stock INT NOT NULL, shelf INT NOT NULL,"
    " kind ENUM('book','music','tool') NOT NULL, tags SET('new','used','sale') NOT NULL,"
    " PRIMARY KEY (sku), UNIQUE KEY by_shelf (shelf))",
    "CREATE TABLE orders (id BIGINT NOT NULL AUTO_INCREMENT, customer INT NOT NULL,"
    " status ENUM('open','paid','sent','void') NOT NULL DEFAULT 'open',"
    " placed TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), total DOUBLE NOT NULL DEFAULT 0,"
    " note TEXT NULL, PRIMARY KEY (id), KEY by_customer (customer, placed),"
    " CONSTRAINT ordered_by FOREIGN KEY (customer) REFERENCES customers (id))",
    "CREATE TABLE order_lines (order_id BIGINT NOT NULL, line SMALLINT NOT NULL,"
    " sku CHAR(10) CHARACTER SET latin1 NOT NULL, quantity INT NOT NULL,"
    " price DECIMAL(10,3) NOT NULL, PRIMARY KEY (order_id, line), KEY by_sku (sku),"
    " CONSTRAINT line_of FOREIGN KEY (order_id) REFERENCES orders (id))",
    "CREATE TABLE carts (token VARBINARY(16) NOT NULL PRIMARY KEY, customer INT NOT NULL,"
    " content JSON NOT NULL, touched DATETIME(3) NOT NULL)",
    "CREATE TABLE audit (happened TIMESTAMP(6) NOT NULL, what VARCHAR(40) NOT NULL)",
)

# {n} is the number of orders. The source makes the rows itself, from MariaDB's sequences.
_ROWS = (
    "INSERT INTO customers (email, name, balance, score, born, profile, photo)"
    " SELECT CONCAT('user', seq, '@example.org'), CONCAT('Zoë Ünal №', seq, ' 🛒'), seq % 977 / 100,"
    " 1394.375 + seq / 7, IF(seq % 5, DATE_ADD('1950-01-01', INTERVAL seq % 20000 DAY), 0),"
    " JSON_OBJECT('visits', seq % 40, 'tags', JSON_ARRAY('a', NULL, seq)), UNHEX(SHA2(seq, 256))"
    " FROM seq_1_to_{customers}",
    "INSERT INTO products SELECT CONCAT('SKU', LPAD(seq, 6, '0')),"
    " CONCAT('Caf\\\\é \\n\\t''quoted'' ', REPEAT('x', seq % 300)), seq % 9999 / 8, 1000, seq,"
    " 1 + seq % 3, seq % 8 FROM seq_1_to_{products}",
    "INSERT INTO orders (customer, status, placed, total, note)"
    " SELECT 1 + seq % {customers}, 1 + seq % 4,"
    " TIMESTAMP '2026-01-01 00:00:00' + INTERVAL seq * 7919 MICROSECOND, seq / 3,"
    " IF(seq % 3, NULL, REPEAT('note ', seq % 25)) FROM seq_1_to_{n}",
    "INSERT INTO order_lines SELECT 1 + (seq DIV 2), 1 + seq % 2,"
    " CONCAT('SKU', LPAD(1 + seq % {products}, 6, '0')), 1 + seq % 5, seq % 700 / 8"
    " FROM seq_0_to_{last_line}",
    "INSERT INTO carts SELECT UNHEX(LEFT(SHA2(seq, 256), 32)), 1 + seq % {customers},"
    " JSON_OBJECT('items', seq % 9), TIMESTAMP '2026-11-01 00:00:00' + INTERVAL seq SECOND"
    " FROM seq_1_to_{carts}",
    "INSERT INTO audit SELECT '2026-11-01', CONCAT('start ', seq % 100) FROM seq_1_to_{audit}",
)

# Duplicate key, deadlock, lock wait, foreign key violations, record changed.
_HARMLESS = {1062, 1213, 1205, 1451, 1452, 1020}


def _sizes(orders):
    return {
        "n": orders,
        "last_line": 2 * orders - 1,
        "customers": max(10, orders // 5),
        "products": max(10, orders // 50),
        "carts": max(10, orders // 10),
        "audit": max(10, orders // 20),
    }


def create(server, orders):
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode='NO_ENGINE_SUBSTITUTION'")  # zero dates are wanted
        cursor.execute(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4")
        cursor.execute(f"USE {DATABASE}")
        for statement in _TABLES:
            cursor.execute(statement)
        for statement in _ROWS:
            cursor.execute(statement.format(**_sizes(orders)))
        cursor.execute("ANALYZE TABLE customers, products, orders, order_lines, carts, audit")


def counts(server):
    names = server.rows(
        "SELECT table_name FROM information_schema.tables WHERE table_schema=%s ORDER BY 1",
        (DATABASE,),
    )
    return {n: server.value(f"SELECT COUNT(*) FROM {DATABASE}.{n}") for (n,) in names}


class Writer(threading.Thread):
    """One session of the application: a transaction after the other until it is stopped."""

    def __init__(self, application, number):
        super().__init__(name=f"writer-{number}", daemon=True)
        self.application = application
        self.random = random.Random(number)
        self.transactions = 0
        self.rollbacks = 0
        self.error = None
        self.cursor = None

    def run(self):
        try:
            while True:
                server = self.application.address()
                if server is None:
                    return
                with server.connect(DATABASE, autocommit=False) as session:
                    self.cursor = session.cursor()
                    while not self.application.must_pause():
                        self._transaction(session)
                        time.sleep(self.random.random() * 2 * PAUSE)
                self.application.wait_at_gate()
        except Exception as error:  # The main thread reports it.
            self.error = error

    def _transaction(self, session):
        try:
            for _ in range(self.random.choice((1, 1, 2, 4))):
                self.random.choice(_ACTIONS)(self)
            if self.random.random() < 0.05:
                session.rollback()
                self.rollbacks += 1
                return
            session.commit()
            self.transactions += 1
        except pymysql.MySQLError as error:
            if error.args[0] not in _HARMLESS:
                raise
            session.rollback()
            self.rollbacks += 1

    def sql(self, statement, *arguments):
        return self.cursor.execute(statement, arguments)

    def pick(self, what):
        return self.random.randint(1, self.application.sizes[what])

    def sku(self):
        return f"SKU{self.pick('products'):06d}"

    def order(self):
        """An order, mostly one of the newest: those are hot."""
        if self.random.random() < 0.5:
            return self.pick("n")
        return self.application.sizes["n"] + self.random.randint(-50, 2000)


def _place(writer):
    writer.sql("INSERT INTO orders (customer, note) VALUES (%s, 'live')", writer.pick("customers"))
    order = writer.cursor.lastrowid
    for line in range(1, writer.random.randint(2, 5)):
        sku, count = writer.sku(), writer.random.randint(1, 9)
        row = (order, line, sku, count)
        writer.sql("INSERT INTO order_lines VALUES (%s, %s, %s, %s, 1.125)", *row)
        writer.sql("UPDATE products SET stock = stock - %s WHERE sku = %s", count, sku)
    if writer.random.random() < 0.1:
        writer.sql("INSERT INTO audit VALUES (NOW(6), 'a large order')")


def _proceed(writer):
    status = writer.random.randint(1, 4)
    writer.sql(
        "UPDATE orders SET status=%s, total=total*1.1 WHERE id=%s", status, writer.order()
    )


def _cancel(writer):
    order = writer.order()
    writer.sql("DELETE FROM order_lines WHERE order_id=%s", order)
    writer.sql("DELETE FROM orders WHERE id=%s", order)


def _cart(writer):
    """Carts come, go and take another key."""
    token = writer.random.randbytes(16)
    choice = writer.random.random()
    if choice < 0.4:
        writer.sql(
            "INSERT INTO carts VALUES (%s, %s, '{\"items\": 1}', NOW(3))",
            token,
            writer.pick("customers"),
        )
    elif choice < 0.8:
        change = "UPDATE carts SET token=%s, touched=NOW(3) WHERE token>=%s LIMIT 1"
        writer.sql(change, token, token)
    else:
        writer.sql("DELETE FROM carts WHERE token>=%s LIMIT 1", token)


def _swap_shelves(writer):
    """Two products exchange a unique value: three updates that a careless copy trips over."""
    one, other = writer.pick("products"), writer.pick("products")
    if one != other:
        for old, new in ((one, -one), (other, one), (-one, other)):
            writer.sql("UPDATE products SET shelf=%s WHERE shelf=%s", new, old)


def _customer(writer):
    number = writer.pick("customers")
    email = f"moved{writer.random.randint(1, 5000)}@example.org"
    writer.sql(
        "UPDATE customers SET email=%s, balance=balance+0.01, score=score/3 WHERE id=%s",
        email,
        number,
    )


def _season(writer):
    """A statement that changes many rows."""
    begin = writer.pick("n")
    writer.sql("UPDATE orders SET total=total+1 WHERE id BETWEEN %s AND %s", begin, begin + 150)


_ACTIONS = [_place] * 5 + [_proceed] * 5 + [_cart] * 4 + [_cancel, _customer] * 2
_ACTIONS += [_swap_shelves, _season]


class Application:
    """Writers, and the switch that stops them.

    The switch is a file, as it might be of a web application's maintenance mode: while it is there
    nobody writes, and a second file says that the last transaction has ended. Who was stopped goes
    on at the server that `move_to` names then.
    """

    def __init__(self, server, folder, writers, orders):
        self.folder = folder  # GATE of the commands below
        self.sizes = _sizes(orders)
        self.stops = 0
        self.stopped_seconds = 0.0
        self._stop_file = os.path.join(folder, "stop")
        self._stopped_file = os.path.join(folder, "stopped")
        self._server = server
        self._ending = False
        self._at_gate = 0
        self._changed = threading.Condition()
        self._writers = [Writer(self, number) for number in range(writers)]

    @property
    def lock_command(self):
        return "touch $GATE/stop; until test -e $GATE/stopped; do sleep 0.01; done"

    @property
    def unlock_command(self):
        return "rm -f $GATE/stop $GATE/stopped"

    def start(self):
        for writer in self._writers:
            writer.start()

    def must_pause(self):
        return self._ending or os.path.exists(self._stop_file)

    def wait_at_gate(self):
        """All writers stand here before the cutover's lock is granted."""
        with self._changed:
            self._at_gate += 1
            if self._at_gate == len(self._writers) and not self._ending:
                # Where to go on is for the operator to say, once the copy has ended.
                self._server = None
                self.stops += 1
                open(self._stopped_file, "w").close()
        begun = time.monotonic()
        while os.path.exists(self._stop_file) and not self._ending:
            time.sleep(0.005)
        with self._changed:
            self._at_gate -= 1
            self.stopped_seconds = max(self.stopped_seconds, time.monotonic() - begun)

    def address(self):
        """The server to write to; waits while nobody knows. None: the application ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._ending or self._server is not None)
            return None if self._ending else self._server

    def move_to(self, server):
        with self._changed:
            self._server = server
            self._changed.notify_all()

    def stop(self):
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        for writer in self._writers:
            if writer.ident is not None:
                writer.join(timeout=20)

    def transactions(self):
        return sum(writer.transactions for writer in self._writers)

    def rollbacks(self):
        return sum(writer.rollbacks for writer in self._writers)

    def errors(self):
        return [f"{w.name}: {w.error}" for w in self._writers if w.error is not None]
