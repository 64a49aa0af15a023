"""The verification must see what others did to the target, and name table, key and column."""
import threading

from harness import data, oracle, wherry
from harness.framework import check, test

# What happens behind the back of wherry, and what the report must name: table, key, column.
_BEHIND_THE_BACK = [
    ("UPDATE shop.customers SET score=1394.38 WHERE name='Ann'", "shop.customers", "1", "score"),
    ("UPDATE shop.customers SET name='bo' WHERE name='Bo'", "shop.customers", "2", "name"),
    ("DELETE FROM shop.words WHERE w='zoo'", "shop.words", "zoo", None),
    ("INSERT INTO shop.words VALUES ('extra', NULL)", "shop.words", "extra", None),
    ("UPDATE shop.orders SET note='' WHERE customer=1 AND no=1", "shop.orders", "1", "note"),
    (
        "UPDATE shop.orders SET placed='2024-02-29 00:00:00.001' WHERE customer=2",
        "shop.orders",
        "2",
        "placed",
    ),
    (
        "UPDATE shop.orders SET total=CASE no WHEN 1 THEN -1 ELSE 9.99 END WHERE customer=1",
        "shop.orders",
        "1",
        "total",
    ),
]


@test()
def test_changes_behind_the_back_are_found(t):
    """All at once: what was looked at again after a first difference takes its time."""
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_copy(t, source, target)
    run.wait_state("waiting-for-cutover")
    target.execute(*[change for change, _table, _key, _column in _BEHIND_THE_BACK])
    code = run.cutover()
    check(code == wherry.EXIT_DIFFERENCES, lambda: f"exit {code}\n{run.tail()}")
    report = run.report()
    check(report["verified"] is False, report)
    for change, table, key, column in _BEHIND_THE_BACK:
        found = [d for d in report["differences"] if d["table"] == table and key in d["key"]]
        check(found, f"{change}: not named in {report['differences']}")
        check(not column or any(column in d["columns"] for d in found), f"{change}: {found}")
    # Both orders of the customer whose totals were exchanged, and each other row once.
    check(report["totals"]["differences"] == 7, report["differences"])


@test()
def test_swap_of_equal_values_is_found(t):
    """Two rows exchange values of equal length; sums that cancel out would not notice."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(10))",
        "INSERT INTO d.t VALUES (1,'aaaa'),(2,'bbbb')",
    )
    run = wherry.start_copy(t, source, target)
    run.wait_state("waiting-for-cutover")
    target.execute("UPDATE d.t SET v=IF(id=1,'bbbb','aaaa')")
    code = run.cutover()
    check(code == wherry.EXIT_DIFFERENCES, lambda: f"exit {code}\n{run.tail()}")
    check(len(run.report()["differences"]) == 2, run.report()["differences"])


@test()
def test_table_without_key_is_verified(t):
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (a INT, b VARCHAR(10))",
        "INSERT INTO d.t VALUES (1,'x'),(1,'x'),(NULL,NULL)",
    )
    run = wherry.start_copy(t, source, target)
    run.wait_state("waiting-for-cutover")
    target.execute("DELETE FROM d.t WHERE a=1 LIMIT 1")
    code = run.cutover()
    check(code == wherry.EXIT_DIFFERENCES, lambda: f"exit {code}\n{run.tail()}")
    check(any(d["table"] == "d.t" for d in run.report()["differences"]), run.tail)


@test()
def test_no_verification(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.start_copy(t, source, target, "--verify", "none")
    run.wait_state("waiting-for-cutover")
    target.execute("UPDATE shop.words SET n=99")
    check(run.cutover() == 0, run.tail)
    report = run.report()
    check(report["verified"] is False and any("verif" in w for w in report["warnings"]), report)


@test()
def test_character_sets_give_no_false_alarm(t):
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER"
        " SET latin1, b VARCHAR(20) CHARACTER SET utf8mb4, c VARCHAR(20) CHARACTER SET"
        " utf16, d CHAR(5) COLLATE utf8mb4_bin, INDEX (a))",
        "INSERT INTO d.t VALUES (1,'é','é','é','é'),(2,'','','',''),(3,NULL,'x ',' ',NULL)",
    )
    wherry.copy(t, source, target)
    oracle.require_equal(source, target)


@test(timeout=150)
def test_large_table_with_one_difference(t):
    source, target = t.pair()
    data.numbers(source, rows=150000)
    run = wherry.start_copy(t, source, target)
    run.wait_state("waiting-for-cutover", timeout=90)
    target.execute("UPDATE bulk.t1 SET v=v+1 WHERE id=77777")
    code = run.cutover()
    check(code == wherry.EXIT_DIFFERENCES, lambda: f"exit {code}\n{run.tail()}")
    found = run.report()["differences"]
    check(len(found) == 1 and "77777" in found[0]["key"] and found[0]["columns"] == ["v"], found)


@test(timeout=150)
def test_hot_table_without_key_gives_no_false_alarm(t):
    """Nobody stops the writers, and a table without a key is never the same twice."""
    source, target = t.pair()
    source.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.hot (a INT, b VARCHAR(20))",
        "CREATE TABLE d.keyed (id INT PRIMARY KEY, n BIGINT)",
        "INSERT INTO d.keyed VALUES (1,0),(2,0),(3,0)",
    )
    with source.connect() as session, session.cursor() as cursor:
        for number in range(500):
            cursor.execute("INSERT INTO d.hot VALUES (%s, 'x')", (number,))
    stopping = threading.Event()

    def write(statement):
        with source.connect() as session, session.cursor() as cursor:
            number = 0
            while not stopping.is_set():
                number += 1
                cursor.execute(statement, (number % 500,))

    writers = [
        threading.Thread(target=write, args=(statement,))
        for statement in (
            "UPDATE d.hot SET b=UUID_SHORT() WHERE a=%s",
            "UPDATE d.keyed SET n=n+1 WHERE id<>%s",
        )
    ]
    # The writers are never caught up with: what waits is bounded, and so are its batches.
    run = wherry.start_streaming(t, source, target, "--memory", "64MiB")
    try:
        for writer in writers:
            writer.start()
        code = run.cutover(timeout=100)
    finally:
        stopping.set()
        for writer in writers:
            writer.join()
    check(code == wherry.EXIT_DONE, run.tail)
    check(run.report()["differences"] == [], run.report()["differences"])
