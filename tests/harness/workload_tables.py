"""The tables of the random workload and what a writer does to each of them."""
import random

DATABASE = "rnd"
FOREIGN_KEY_DATABASE = "rndfk"

# A collation that both dialects have; their own defaults differ.
_CHARSET = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"

_TABLES = [
    "CREATE TABLE numbers (id INT PRIMARY KEY, v INT NOT NULL, pad VARCHAR(60))",
    "CREATE TABLE pairs (a SMALLINT NOT NULL, b VARCHAR(12) COLLATE utf8mb4_unicode_ci NOT NULL,"
    " v INT, PRIMARY KEY (a, b))",
    "CREATE TABLE words (w VARCHAR(24) COLLATE utf8mb4_unicode_ci PRIMARY KEY, v INT)",
    "CREATE TABLE raw_keys (k VARBINARY(8) PRIMARY KEY, v INT)",
    "CREATE TABLE uniques (id INT PRIMARY KEY, u INT NOT NULL, name VARCHAR(16) COLLATE"
    " utf8mb4_general_ci NULL, v INT, UNIQUE KEY uu (u), UNIQUE KEY un (name))",
    "CREATE TABLE no_primary (k BIGINT UNSIGNED NOT NULL, d DECIMAL(8,3) NOT NULL, v INT,"
    " UNIQUE KEY kk (k, d))",
    "CREATE TABLE assorted (id INT AUTO_INCREMENT PRIMARY KEY, f FLOAT, d DOUBLE, n DECIMAL(20,6),"
    " t TEXT, b BLOB, e ENUM('one','two','three'), s SET('a','b','c','d'), bits BIT(13),"
    " ts TIMESTAMP(3) NULL, dt DATETIME(6), tm TIME(2), y YEAR, c CHAR(7) CHARACTER SET latin1)",
    "CREATE TABLE tally (id INT PRIMARY KEY, n BIGINT NOT NULL)",
]
_KEYLESS = "CREATE TABLE bag (n INT, s VARCHAR(10))"
_FOREIGN_KEYS = [
    "CREATE TABLE owners (id INT PRIMARY KEY, v INT)",
    "CREATE TABLE items (id INT PRIMARY KEY, owner_id INT NULL, v INT, CONSTRAINT io FOREIGN KEY"
    " (owner_id) REFERENCES owners (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE tags (item_id INT NOT NULL, tag VARCHAR(10) NOT NULL, PRIMARY KEY (item_id, tag),"
    " CONSTRAINT ti FOREIGN KEY (item_id) REFERENCES items (id) ON DELETE CASCADE)",
    "CREATE TABLE notes (id INT PRIMARY KEY, owner_id INT NULL, CONSTRAINT nw FOREIGN KEY (owner_id)"
    " REFERENCES owners (id) ON DELETE SET NULL)",
]


def _insert(cursor, table, columns, rows):
    marks = "(" + ",".join(["%s"] * len(columns.split(","))) + ")"
    for begin in range(0, len(rows), 500):
        part = rows[begin : begin + 500]
        cursor.execute(
            f"INSERT IGNORE INTO {table} ({columns}) VALUES " + ",".join([marks] * len(part)),
            [value for row in part for value in row],
        )


def _word(rng):
    return "".join(rng.choice("abcABCéÉ zZ-_ß") for _ in range(rng.randint(0, 9)))


def _raw(rng):
    return bytes(rng.choice((0, 1, 39, 92, 127, 128, 254, 255)) for _ in range(rng.randint(0, 5)))


def _assorted(rng):
    return (
        rng.uniform(-1e6, 1e6),
        rng.uniform(-1e300, 1e300),
        round(rng.uniform(-1e9, 1e9), 6),
        "t" * rng.randint(0, 300),
        _raw(rng) * 20,
        rng.choice(("one", "two", "three", None)),
        rng.choice(("", "a", "b,d", "a,b,c,d")),
        rng.getrandbits(13),
        f"20{rng.randint(10, 37)}-05-06 07:08:09.{rng.randint(0, 999):03d}",
        f"{rng.randint(1000, 9999)}-12-31 23:59:59.{rng.randint(0, 999999):06d}",
        f"{rng.choice(('-', ''))}{rng.randint(0, 838):02d}:00:00.{rng.randint(0, 98):02d}",
        rng.randint(1901, 2155),
        rng.choice(("é", "", "x ", "ÿþ")),
    )


_ASSORTED = "f,d,n,t,b,e,s,bits,ts,dt,tm,y,c"


def create(server, seed, rows, keyless, foreign_keys):
    """Makes the databases anew, with their first rows."""
    rng = random.Random(f"rows {seed}")
    with server.connect() as session, session.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {DATABASE} {_CHARSET}")
        cursor.execute(f"USE {DATABASE}")
        for table in _TABLES + ([_KEYLESS] if keyless else []):
            cursor.execute(table)
        cursor.execute("START TRANSACTION")
        _insert(
            cursor, "numbers", "id,v,pad", [(n, 0, "p" * (n % 60)) for n in range(-rows // 4, rows)]
        )
        _insert(
            cursor, "pairs", "a,b,v", [(rng.randint(-3, 3), _word(rng), n) for n in range(rows)]
        )
        _insert(cursor, "words", "w,v", [(_word(rng), n) for n in range(rows // 2)])
        _insert(cursor, "raw_keys", "k,v", [(_raw(rng), n) for n in range(rows // 2)])
        _insert(cursor, "uniques", "id,u,name,v", [(n, -n, f"name {n}", 0) for n in range(rows)])
        _insert(
            cursor,
            "no_primary",
            "k,d,v",
            [
                (rng.choice((0, 1, (1 << 64) - 1)), rng.randint(-9999, 9999) / 8, n)
                for n in range(rows // 2)
            ],
        )
        _insert(cursor, "assorted", _ASSORTED, [_assorted(rng) for _ in range(rows // 3)])
        _insert(cursor, "tally", "id,n", [(n, 0) for n in range(1, 11)])
        if keyless:
            _insert(cursor, "bag", "n,s", [(n % 7, "seed") for n in range(rows // 10)])
        cursor.execute("COMMIT")
        if foreign_keys:
            _create_foreign_keys(cursor, rows // 4)


def _create_foreign_keys(cursor, rows):
    cursor.execute(f"CREATE DATABASE {FOREIGN_KEY_DATABASE} {_CHARSET}")
    cursor.execute(f"USE {FOREIGN_KEY_DATABASE}")
    for table in _FOREIGN_KEYS:
        cursor.execute(table)
    cursor.execute("START TRANSACTION")
    _insert(cursor, "owners", "id,v", [(n, 0) for n in range(rows)])
    _insert(cursor, "items", "id,owner_id,v", [(n, n // 2, 0) for n in range(rows * 2)])
    _insert(cursor, "tags", "item_id,tag", [(n, "tag") for n in range(rows)])
    _insert(cursor, "notes", "id,owner_id", [(n, n) for n in range(rows)])
    cursor.execute("COMMIT")


def _numbers_insert(w):
    w.run_sql("INSERT INTO @numbers VALUES (%s, %s, %s)", w.key(), w.random.randint(0, 9), w.text())


def _numbers_update(w):
    w.run_sql("UPDATE @numbers SET v=v+1, pad=%s WHERE id=%s", w.text(), w.key())


def _numbers_delete(w):
    w.run_sql("DELETE FROM @numbers WHERE id=%s", w.key())


def _numbers_move(w):
    """A changed key: a row jumps over the place that the copy has reached, either way."""
    w.run_sql("UPDATE @numbers SET id=%s, v=v+1 WHERE id=%s", w.key(), w.key())


def _numbers_move_many(w):
    begin, by = w.key(), w.random.choice((-w.workload.rows, w.workload.rows, 7, -7))
    order = "DESC" if by > 0 else "ASC"
    w.run_sql(
        f"UPDATE @numbers SET id=id+%s WHERE id BETWEEN %s AND %s ORDER BY id {order}",
        by,
        begin,
        begin + 5,
    )


def _numbers_replace(w):
    w.run_sql(
        "REPLACE INTO @numbers VALUES (%s, %s, %s)", w.key(), w.random.randint(0, 9), w.text()
    )


def _numbers_upsert(w):
    w.run_sql("INSERT INTO @numbers VALUES (%s, 1, 'new') ON DUPLICATE KEY UPDATE v=v+1", w.key())


def _numbers_back_and_forth(w):
    """Deleted and inserted again in one transaction, and a key that goes away and comes back."""
    key, other = w.key(), w.key()
    w.run_sql("DELETE FROM @numbers WHERE id=%s", key)
    w.run_sql("INSERT INTO @numbers VALUES (%s, 5, 'again')", key)
    w.run_sql("UPDATE @numbers SET id=%s WHERE id=%s", other, key)
    w.run_sql("UPDATE @numbers SET id=%s, v=v+1 WHERE id=%s", key, other)


def _pairs(w):
    word, a, choice = _word(w.random), w.random.randint(-3, 3), w.random.random()
    if choice < 0.3:
        w.run_sql("INSERT INTO @pairs VALUES (%s, %s, 1) ON DUPLICATE KEY UPDATE v=v+1", a, word)
    elif choice < 0.5:
        w.run_sql(
            "UPDATE @pairs SET a=%s, b=%s WHERE a=%s AND b>=%s ORDER BY b LIMIT 1",
            w.random.randint(-3, 3),
            _word(w.random),
            a,
            word,
        )
    elif choice < 0.7:
        w.run_sql("UPDATE @pairs SET v=v+1 WHERE a=%s AND b>=%s ORDER BY b LIMIT 3", a, word)
    else:
        w.run_sql("DELETE FROM @pairs WHERE a=%s AND b>=%s ORDER BY b LIMIT 1", a, word)


def _words(w):
    word, choice = _word(w.random), w.random.random()
    if choice < 0.3:
        w.run_sql("REPLACE INTO @words VALUES (%s, %s)", word, w.random.randint(0, 99))
    elif choice < 0.5:
        w.run_sql("UPDATE @words SET w=UPPER(w), v=v+1 WHERE w>=%s ORDER BY w LIMIT 2", word)
    elif choice < 0.7:
        w.run_sql("UPDATE @words SET w=%s WHERE w>=%s ORDER BY w LIMIT 1", _word(w.random), word)
    elif choice < 0.85:
        w.run_sql("INSERT INTO @words VALUES (%s, 0)", word)
    else:
        w.run_sql("DELETE FROM @words WHERE w=%s", word)


def _raw_keys(w):
    key, choice = _raw(w.random), w.random.random()
    if choice < 0.4:
        w.run_sql("INSERT INTO @raw_keys VALUES (%s, 1) ON DUPLICATE KEY UPDATE v=v+1", key)
    elif choice < 0.7:
        w.run_sql("UPDATE @raw_keys SET k=%s WHERE k=%s", _raw(w.random), key)
    else:
        w.run_sql("DELETE FROM @raw_keys WHERE k=%s", key)


def _unique_swap(w):
    """Two rows swap their unique values through a third one, in one transaction."""
    one, other = w.key(), w.key()
    w.cursor.execute(
        f"SELECT id, u, name FROM {DATABASE}.uniques WHERE id IN (%s, %s) FOR UPDATE", (one, other)
    )
    found = w.cursor.fetchall()
    if len(found) == 2:
        (a, ua, na), (b, ub, nb) = found
        w.run_sql(
            "UPDATE @uniques SET u=%s, name=NULL WHERE id=%s",
            2000000000 + w.random.randint(0, 999999),
            a,
        )
        w.run_sql("UPDATE @uniques SET u=%s, name=%s, v=v+1 WHERE id=%s", ua, na, b)
        w.run_sql("UPDATE @uniques SET u=%s, name=%s, v=v+1 WHERE id=%s", ub, nb, a)


def _unique_shift(w):
    begin = w.key()
    w.run_sql(
        "UPDATE @uniques SET u=u+1 WHERE u BETWEEN %s AND %s ORDER BY u DESC", begin, begin + 4
    )


def _unique_take(w):
    """A row goes and another takes its unique values; REPLACE may remove two rows at once."""
    one, other = w.key(), w.key()
    if w.random.random() < 0.5:
        w.run_sql("REPLACE INTO @uniques VALUES (%s, %s, %s, 1)", one, -other, f"NAME {other}")
    else:
        w.run_sql("DELETE FROM @uniques WHERE u=%s", -other)
        w.run_sql("UPDATE @uniques SET u=%s, name=%s WHERE id=%s", -other, f"name {other}", one)


def _no_primary(w):
    key, d, choice = (
        w.random.choice((0, 1, (1 << 64) - 1)),
        w.random.randint(-9999, 9999) / 8,
        w.random.random(),
    )
    if choice < 0.4:
        w.run_sql("INSERT INTO @no_primary VALUES (%s, %s, 0)", key, d)
    elif choice < 0.7:
        w.run_sql(
            "UPDATE @no_primary SET d=%s, v=v+1 WHERE k=%s AND d>=%s ORDER BY d LIMIT 1",
            w.random.randint(-9999, 9999) / 8,
            key,
            d,
        )
    else:
        w.run_sql("DELETE FROM @no_primary WHERE k=%s AND d>=%s ORDER BY d LIMIT 1", key, d)


def _assorted_change(w):
    choice, number = w.random.random(), w.random.randint(1, w.workload.rows)
    row = _assorted(w.random)
    if choice < 0.5:
        w.run_sql(
            f"INSERT INTO @assorted ({_ASSORTED}) VALUES (" + ",".join(["%s"] * len(row)) + ")",
            *row,
        )
    elif choice < 0.8:
        sets = ", ".join(f"{name}=%s" for name in _ASSORTED.split(","))
        w.run_sql(f"UPDATE @assorted SET {sets} WHERE id=%s", *row, number)
    else:
        w.run_sql("DELETE FROM @assorted WHERE id=%s", number)


def _bag(w):
    choice, n = w.random.random(), w.random.randint(0, 6)
    if choice < 0.5:
        w.run_sql(
            "INSERT INTO @bag VALUES (%s, %s)", n if n else None, w.random.choice(("x", None))
        )
    elif choice < 0.75:
        w.run_sql("UPDATE @bag SET s='upd' WHERE n=%s AND s IN ('x','seed') LIMIT 1", n)
    else:
        w.run_sql("DELETE FROM @bag WHERE n=%s AND s<>'counted' LIMIT 1", n)


def _foreign(w):
    rng, top = w.random, w.workload.rows // 4
    owner, item, choice = rng.randint(0, top), rng.randint(0, top * 2), rng.random()

    def run(statement, *args):
        w.cursor.execute(statement.replace("@", FOREIGN_KEY_DATABASE + "."), args)

    if choice < 0.15:
        run("DELETE FROM @owners WHERE id=%s", owner)
    elif choice < 0.25:
        run("UPDATE @owners SET id=%s WHERE id=%s", rng.randint(0, top * 2), owner)
    elif choice < 0.5:
        run("INSERT INTO @owners VALUES (%s, 1)", owner)
        run("INSERT INTO @items VALUES (%s, %s, 1)", item, owner)
        run("INSERT INTO @tags VALUES (%s, 'new')", item)
        run("INSERT INTO @notes VALUES (%s, %s)", item, owner)
    elif choice < 0.7:
        run("UPDATE @items SET owner_id=%s, v=v+1 WHERE id=%s", owner, item)
    elif choice < 0.85:
        run("DELETE FROM @items WHERE id=%s", item)
    else:
        run("INSERT INTO @tags VALUES (%s, %s)", item, rng.choice(("a", "b", "c")))


def actions(keyless, foreign_keys):
    """What a writer chooses from; a function that is listed twice is chosen twice as often."""
    found = [
        _numbers_insert,
        _numbers_update,
        _numbers_update,
        _numbers_delete,
        _numbers_move,
        _numbers_move,
        _numbers_move_many,
        _numbers_replace,
        _numbers_upsert,
        _numbers_back_and_forth,
        _pairs,
        _words,
        _raw_keys,
        _unique_swap,
        _unique_swap,
        _unique_shift,
        _unique_take,
        _no_primary,
        _assorted_change,
    ]
    if keyless:
        found.append(_bag)
    if foreign_keys:
        found += [_foreign] * 6
    return found
