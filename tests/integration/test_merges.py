"""Tables of several names that go into one: each row of each of them, and statements that stop."""
import json
import random

from harness import datadirs, feeds, wherry
from harness.framework import check, test, wait_until

_TABLE = "(id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL, v INT, UNIQUE KEY name (name), KEY v (v))"
_SHARDS = ("shop_1", "shop_2", "shop_3")


def _make(source, rows=200):
    for number, shard in enumerate(_SHARDS):
        source.execute(f"CREATE DATABASE {shard}", f"CREATE TABLE {shard}.orders {_TABLE}",
                       f"INSERT INTO {shard}.orders (id, name, v) VALUES "
                       + ", ".join(f"({i * 10 + number}, 'n{i * 10 + number}', {i})" for i in range(1, rows)))


def _moved(source, rng, rounds):
    """Rows go from one shard to another with their key and name, and others change."""
    for _ in range(rounds):
        one, other = rng.sample(_SHARDS, 2)
        key = rng.randint(1, 60) * 10 + rng.randint(0, 2)
        changed = rng.randint(1, 60) * 10 + _SHARDS.index(other)
        source.execute(f"UPDATE {other}.orders SET v = v + 1 WHERE id = {changed}")
        row = source.rows(f"SELECT id, name, v FROM {one}.orders WHERE id = {key}")
        if not row:
            continue
        _id, name, v = row[0]
        together = rng.random() < 0.5
        source.execute("BEGIN" if together else "DO 1", f"DELETE FROM {one}.orders WHERE id = {key}",
                       f"INSERT INTO {other}.orders VALUES ({key}, '{name}', {v or 0})", "COMMIT")


def _rows(server, *tables):
    return sorted(row for table in tables for row in server.rows(f"SELECT id, name, v FROM {table}"))


def _check_merged(source, target):
    wanted, found = _rows(source, *(f"{s}.orders" for s in _SHARDS)), _rows(target, "shop.orders")
    check(wanted == found, lambda: f"missing {[r for r in wanted if r not in found][:5]}, "
                                   f"too much {[r for r in found if r not in wanted][:5]}")


@test(timeout=240)
def test_shards_become_one_table(t):
    source, target = t.pair()
    rng = random.Random(f"merge {t.first_seed}")
    _make(source)
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders"], rename=["shop_*.orders=shop.orders"], lanes=4)
    _moved(source, rng, 60)
    server.kill9()
    server.start()
    _moved(source, rng, 40)
    server.wait_copied("all")
    _moved(source, rng, 150)
    server.wait_applied("all", source)
    _check_merged(source, target)
    check("is warning" not in server.run.err, server.run.tail)
    check(set(target.user_databases()) - {"wherry"} == {"shop"}, f"{target.user_databases()}")
    # A shard that comes later joins the others.
    source.execute("CREATE DATABASE shop_4", f"CREATE TABLE shop_4.orders {_TABLE}",
                   "INSERT INTO shop_4.orders VALUES (999999, 'fourth', 4)")
    server.wait_applied("all", source)
    check(target.value("SELECT v FROM shop.orders WHERE name = 'fourth'") == 4, "the fourth shard")
    server.kill9()
    server.start()
    source.execute("UPDATE shop_4.orders SET v = 5", "DELETE FROM shop_1.orders WHERE id < 100")
    server.wait_applied("all", source)
    check(target.value("SELECT v FROM shop.orders WHERE name = 'fourth'") == 5, "after a restart")
    # What one shard does to its table must not happen to all.
    source.execute("TRUNCATE TABLE shop_2.orders")
    wait_until(lambda: server.look("all")["state"] == "failed", 30, "the stop")
    error = server.look("all")["error"]["message"]
    check("TRUNCATE TABLE shop_2.orders" in error and "merged" in error, error)
    check(target.value("SELECT COUNT(*) FROM shop.orders") > 300, "rows of the others are gone")


@test(timeout=120)
def test_a_new_shard_of_another_form_stops(t):
    source, target = t.pair()
    _make(source, rows=3)
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders"], rename=["shop_*.orders=shop.orders"])
    server.wait_copied("all")
    source.execute("CREATE DATABASE shop_4", "CREATE TABLE shop_4.orders (id INT PRIMARY KEY, name VARCHAR(30))")
    wait_until(lambda: server.look("all")["state"] == "failed", 30, "the stop")
    error = server.look("all")["error"]["message"]
    check("shop_4.orders" in error and "definition" in error and "varchar(30)" in error.lower(), error)


def _refused(t, source, target, *options, words):
    run = wherry.start_copy(t, source, target, *options, api=False, cutover="auto")
    run.expect(wherry.EXIT_REFUSED, timeout=60)
    for word in words:
        check(word in run.err + run.out, f"{word}: {run.tail()}")


@test(timeout=120)
def test_copy_merges(t):
    source, target = t.pair()
    _make(source)
    source.execute("CREATE TABLE shop_1.plain (id INT PRIMARY KEY)", "INSERT INTO shop_1.plain VALUES (1)")
    rename = ["--include", "shop_*", "--rename", "shop_*.orders=shop.orders"]
    _refused(t, source, target, *rename, words=("--verify none",))
    check("shop" not in target.user_databases(), "a refusal left something behind")
    wherry.copy(t, source, target, *rename, "--verify", "none", timeout=90)
    _check_merged(source, target)
    check(target.value("SELECT COUNT(*) FROM shop_1.plain") == 1, "the table beside them")
    counter = "SELECT AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'orders'"
    highest = max(row[0] for row in source.rows(counter))
    target.execute("INSERT INTO shop.orders (name) VALUES ('next')")
    check(target.value("SELECT id FROM shop.orders WHERE name = 'next'") >= highest, "AUTO_INCREMENT")


@test(timeout=120)
def test_merges_that_are_refused(t):
    source, target = t.pair()
    _make(source, rows=3)
    source.execute("ALTER TABLE shop_2.orders MODIFY v BIGINT", "CREATE DATABASE shop",
                   "CREATE TABLE shop_1.nokey (a INT)", "CREATE TABLE shop_2.nokey (a INT)",
                   f"CREATE TABLE shop.own {_TABLE}", f"CREATE TABLE shop_1.own {_TABLE}")
    _refused(t, source, target, "--include", "shop_*", "--include", "shop.*", "--verify", "none",
             "--rename", "shop_*=all", "--rename", "shop_1.own=shop.own",
             words=("`v`", "no key", "two tables would become shop.own"))


@test(timeout=120)
def test_a_replay_merges_and_filters_as_the_feed_did(t):
    source, target = t.pair()
    _make(source, rows=20)
    storage = "file://" + t.path("redo")
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders"], rename=["shop_*.orders=shop.orders"],
                  where=["*.orders=v > 5"], **{"redo.storage": storage})
    server.wait_copied("all")
    with target.connect() as blocker, blocker.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        source.execute("UPDATE shop_1.orders SET v = v - 4", "UPDATE shop_2.orders SET v = v + 4",
                       "INSERT INTO shop_3.orders VALUES (5000, 'a', 9), (5001, 'b', 1)",
                       "DELETE FROM shop_1.orders WHERE id = 150", "CREATE DATABASE shop_4",
                       f"CREATE TABLE shop_4.orders {_TABLE}", "INSERT INTO shop_4.orders VALUES (6000, 'c', 7)")
        wanted = source.value("SELECT @@gtid_binlog_pos" if source.dialect == "mariadb" else
                              "SELECT @@gtid_executed").replace("\n", "")
        wait_until(lambda: _durable(t, storage) == wanted, 60, "redo to have all")
        server.kill9()
    run = wherry.run(t, "redo", "apply", "--storage", storage, "--target", target.target_uri, "--json",
                     secrets=datadirs.SECRETS, timeout=90)
    run.expect(wherry.EXIT_DONE)
    kept = sorted(row for shard in (*_SHARDS, "shop_4")
                  for row in source.rows(f"SELECT id, name, v FROM {shard}.orders WHERE v > 5"))
    check(kept == _rows(target, "shop.orders"), lambda: f"{_rows(target, 'shop.orders')}")


def _durable(t, storage):
    run = wherry.run(t, "redo", "meta", "--storage", storage, "--feed", "all", "--json", secrets=datadirs.SECRETS)
    return json.loads(run.out)["resolved"]["gtid"] if run.out else ""


@test(timeout=120)
def test_a_row_that_goes_from_shard_to_shard_in_one_transaction_stays_one(t):
    source, target = t.pair()
    _make(source, rows=20)
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders"], rename=["shop_*.orders=shop.orders"])
    server.wait_copied("all")
    for one, other, key in ((0, 1, 10), (1, 0, 11), (2, 0, 12), (0, 2, 20)):
        source.execute("BEGIN", f"DELETE FROM {_SHARDS[one]}.orders WHERE id = {key}",
                       f"INSERT INTO {_SHARDS[other]}.orders VALUES ({key}, 'n{key}', 100)", "COMMIT")
        server.wait_applied("all", source)
        check(target.value(f"SELECT v FROM shop.orders WHERE id = {key}") == 100, f"row {key}")
    _check_merged(source, target)


def _shards_hold_what_the_target_holds(source, target, columns):
    wanted = sorted(row for s in _SHARDS for row in source.rows(f"SELECT {columns} FROM {s}.orders"))
    found = sorted(target.rows(f"SELECT {columns} FROM shop.orders"))
    check(wanted == found, lambda: f"missing {[r for r in wanted if r not in found][:5]}, "
                                   f"too much {[r for r in found if r not in wanted][:5]}")


@test(timeout=120)
def test_an_alter_that_each_shard_gets_runs_once(t):
    source, target = t.pair()
    # Rows without the names of their columns: a shard that is behind has fewer than the target.
    source.execute("SET GLOBAL binlog_row_metadata = MINIMAL")
    _make(source, rows=20)
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders"], rename=["shop_*.orders=shop.orders"], lanes=4)
    server.wait_copied("all")
    alter = "ALTER TABLE shop_%d.orders ADD COLUMN note VARCHAR(9) NOT NULL DEFAULT 'none' AFTER id"
    source.execute(
        "INSERT INTO shop_1.orders VALUES (1001, 'a', 1)", alter % 1,
        "INSERT INTO shop_1.orders VALUES (1002, 'new', 'b', 2)", "INSERT INTO shop_2.orders VALUES (1003, 'c', 3)",
        "UPDATE shop_2.orders SET v = 50, name = 'moved' WHERE id = 11", "UPDATE shop_1.orders SET note = 'x' WHERE id = 10",
        "DELETE FROM shop_3.orders WHERE id = 12", "BEGIN", "DELETE FROM shop_1.orders WHERE id = 20",
        "INSERT INTO shop_2.orders VALUES (20, 'n20', 7)", "COMMIT")
    server.wait_applied("all", source)
    server.kill9()
    source.execute("INSERT INTO shop_3.orders VALUES (1004, 'd', 4)", alter % 2,
                   "INSERT INTO shop_2.orders VALUES (1005, 'two', 'e', 5)", "INSERT INTO shop_3.orders VALUES (1006, 'f', 6)")
    server.start()
    server.wait_applied("all", source)
    source.execute("UPDATE shop_3.orders SET v = 9 WHERE id = 1004", alter % 3,
                   "INSERT INTO shop_3.orders VALUES (1007, 'three', 'g', 7)")
    server.wait_applied("all", source)
    _shards_hold_what_the_target_holds(source, target, "id, note, name, v")
    # All of them are there: another one may follow.
    source.execute(*(f"ALTER TABLE shop_{n}.orders ADD COLUMN w INT" for n in (3, 1, 2)),
                   "UPDATE shop_1.orders SET w = 1 WHERE id = 10")
    server.wait_applied("all", source)
    _shards_hold_what_the_target_holds(source, target, "id, note, name, v, w")
    # A shard that gets another one than the first.
    source.execute("ALTER TABLE shop_1.orders ADD COLUMN z INT", "ALTER TABLE shop_2.orders ADD COLUMN z BIGINT")
    wait_until(lambda: server.look("all")["state"] == "failed", 30, "the stop")
    error = server.look("all")["error"]["message"]
    check("shop_2.orders" in error and "would not become" in error and "bigint" in error.lower(), error)


@test(timeout=120)
def test_an_alter_that_rows_of_the_others_cannot_do_without_stops(t):
    source, target = t.pair()
    _make(source, rows=3)
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders"], rename=["shop_*.orders=shop.orders"])
    server.wait_copied("all")
    source.execute("ALTER TABLE shop_1.orders DROP COLUMN v")
    wait_until(lambda: server.look("all")["state"] == "failed", 30, "the stop")
    error = server.look("all")["error"]["message"]
    check("shop_1.orders" in error and "DROP COLUMN v" in error and "merged" in error, error)
    check(target.value("SELECT COUNT(v) FROM shop.orders") == 6, "the target was altered")


@test(timeout=120)
def test_rows_of_two_shards_with_one_key_keep_their_order(t):
    """Another lane is free for the second change while the first cannot go on."""
    source, target = t.pair()
    _make(source, rows=20)
    source.execute("CREATE DATABASE plain", "CREATE TABLE plain.gate (id INT PRIMARY KEY, v INT)",
                   "INSERT INTO plain.gate VALUES (1, 0)", "CREATE TABLE plain.mark (id INT PRIMARY KEY)")
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop_*.orders", "plain.*"], rename=["shop_*.orders=shop.orders"],
                  lanes=4)
    server.wait_copied("all")
    with target.connect() as blocker, blocker.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT v FROM plain.gate WHERE id = 1 FOR UPDATE")
        source.execute("UPDATE plain.gate SET v = 1")
        # A lane gets 512 transactions before it is the turn of the next one that has less to do.
        source.execute("BEGIN", "UPDATE plain.gate SET v = 2", "DELETE FROM shop_1.orders WHERE id = 10", "COMMIT",
                       *(f"INSERT INTO plain.mark VALUES ({n})" for n in range(600)),
                       "INSERT INTO shop_2.orders VALUES (10, 'n10', 100)", "INSERT INTO plain.mark VALUES (600)")
        wait_until(lambda: target.value("SELECT MAX(id) FROM plain.mark") == 600, 30, "what the other lane brings")
        check(target.value("SELECT v FROM shop.orders WHERE id = 10") == 1, "the second change came first")
        cursor.execute("ROLLBACK")
    server.wait_applied("all", source)
    check("is warning" not in server.run.err, server.run.tail)
    _check_merged(source, target)
