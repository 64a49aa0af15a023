"""Small sets of tables for tests that need any data, not special data."""
from .sqlscript import play, statements

SHOP = statements(
    """
CREATE DATABASE shop CHARACTER SET utf8mb4;
USE shop;
CREATE TABLE customers (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, score FLOAT,
  KEY by_name (name));
CREATE TABLE orders (customer INT NOT NULL, no INT NOT NULL, placed DATETIME(3), total DECIMAL(10,2),
  note TEXT, PRIMARY KEY (customer, no));
CREATE TABLE words (w VARCHAR(20) COLLATE utf8mb4_unicode_ci PRIMARY KEY, n INT);
INSERT INTO customers (name, score) VALUES ('Ann', 1394.375), ('Bo', 0.1), ('Çem', NULL), ('', -0.0);
INSERT INTO orders VALUES (1, 1, '2024-01-02 03:04:05.678', 9.99, NULL), (1, 2, NULL, -1, 'late'),
  (2, 1, '2024-02-29 00:00:00', 0, ''), (3, 7, '1999-12-31 23:59:59.999', 12345678.90, 'x');
INSERT INTO words VALUES ('apple', 1), ('Älg', 2), ('zoo', 3), ('', 0);
"""
)


def shop(server):
    """Three tables of four rows each in the database `shop`."""
    play(server, SHOP)


def numbers(server, database="bulk", rows=20000, tables=1, pad=60):
    """Tables t1, t2, ... with an integer key and some text, filled by the server itself."""
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE IF NOT EXISTS {database} CHARACTER SET utf8mb4")
        cursor.execute(f"USE {database}")
        for number in range(1, tables + 1):
            cursor.execute(
                f"CREATE TABLE t{number} (id INT PRIMARY KEY, v INT NOT NULL,"
                " pad VARCHAR(200) NOT NULL, KEY by_v (v))"
            )
            cursor.execute(f"INSERT INTO t{number} VALUES (1, 1, REPEAT('p', {pad}))")
            count = 1
            while count < rows:
                cursor.execute(
                    f"INSERT INTO t{number} SELECT id+{count}, v+{count}, pad FROM"
                    f" t{number} WHERE id<={rows - count}"
                )
                count *= 2
