"""Redo: every change is durable in a storage before the target shows it, and a replay brings the
target to the source's own state at that place, when the source is gone for good."""
import json
import os
import random

from harness import datadirs, feeds, nativereplica, oracle, wherry
from harness.framework import check, test, wait_until
from harness.workload import Workload


def _equal(source, target, **options):
    found = oracle.compare(source, target, auto_increment=False, **options)
    check(found, lambda: f"the target differs\n{found.text()}")


def _redo(t, action, storage, *options, code=wherry.EXIT_DONE, timeout=120):
    run = wherry.run(t, "redo", action, "--storage", storage, "--json", *options,
                     secrets=datadirs.SECRETS, timeout=timeout)
    run.expect(code)
    return json.loads(run.out) if run.out else None


def _meta(t, storage, feed="all"):
    return _redo(t, "meta", storage, "--feed", feed)


def _recorded(target, job="feed:all"):
    """The newest transaction that the target says it has; 0 before the feed has begun."""
    newest = 0
    if not target.value("SELECT COUNT(*) FROM information_schema.tables"
                        " WHERE table_schema='wherry' AND table_name='progress'"):
        return newest
    for low, done in target.rows("SELECT low_cseq, done FROM wherry.progress"
                                 " WHERE kind='lane' AND job=%s", (job,)):
        newest = max(newest, int(low))
        for part in filter(None, done.split("=")[0].split(",")):
            newest = max(newest, int(part.split("-")[-1]))
    return newest


@test(timeout=240)
def test_disaster_drill(t):
    """The source dies for good in mid-load while the target is behind by thousands of transactions:
    what the redo holds brings the target to where the source's binlog was."""
    source, target = t.pair()
    witness = t.server(t.source_dialect)
    nativereplica.attach(t, source, witness, start=False)
    storage = "file://" + t.path("redo")
    work = Workload(source, t.first_seed, pause=0.001, rows=600).create().start()
    server = feeds.Feeds(t).start()
    try:
        server.create("all", source, target, include=["rnd.*"], **{"redo.storage": storage})
        server.wait_copied("all")
        work.let_run(1)
        with target.connect() as blocker, blocker.cursor() as cursor:
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            before = _recorded(target)
            wait_until(lambda: _meta(t, storage)["resolved"]["cseq"] > before + 3000, 60,
                       "redo to go on while the target stands still")
            work.server_may_die = True
            source.kill9()
            server.kill9()
    finally:
        work.stop()
    meta = _meta(t, storage)
    t.log(f"target at {_recorded(target)}, redo at {meta['resolved']}")
    check(_recorded(target) + 2000 < meta["resolved"]["cseq"], "the target was not behind")
    verdict = _redo(t, "verify", storage)
    check(verdict["ok"] and verdict["files"] > 0, lambda: f"{verdict}")
    report = _redo(t, "apply", storage, "--target", target.target_uri)
    check(report["to"]["cseq"] == meta["resolved"]["cseq"], lambda: f"{report}")
    # Only to look: what the source's own binlog makes of another server up to that place.
    source.start()
    nativereplica.run_until(witness, meta["resolved"]["gtid"])
    _equal(witness, target)
    again = _redo(t, "apply", storage, "--target", target.target_uri)
    check(again["changes"] == 0, lambda: f"a second replay did something: {again}")
    _equal(witness, target)


@test(timeout=240)
def test_nothing_is_lost_when_wherry_dies(t):
    """Killed at random moments with a slow storage: the feed goes on behind what is durable, each
    epoch where the one before ended, and the target never has more than the redo."""
    source, target = t.pair()
    rng = random.Random(f"redo kill {t.first_seed}")
    storage = f"emulated://{t.path('redo')}?latency=60ms&sigma=1&errors=0.05"
    work = Workload(source, t.first_seed, pause=0.004, rows=600).create().start()
    server = feeds.Feeds(t).start()
    try:
        server.create("all", source, target, include=["rnd.*"],
                      **{"redo.storage": storage, "redo.interval": "200ms"})
        for _round in range(t.rounds or 6):
            work.let_run(rng.choice((0.3, 0.8, 1.5)))
            server.kill9()
            recorded = _recorded(target)
            # Before its epoch is claimed the feed writes where it begins, and no change.
            if recorded > 0 and os.path.exists(os.path.join(t.path("redo"), "all")):
                resolved = _meta(t, "file://" + t.path("redo"))["resolved"]["cseq"]
                check(recorded <= resolved, f"the target has {recorded}, the redo {resolved}")
            server.start()
        server.wait_copied("all")
        work.let_run(0.5)
    finally:
        work.stop()
    server.wait_applied("all", source)
    _equal(source, target)
    check(_redo(t, "verify", "file://" + t.path("redo"))["ok"], "the redo is damaged")


@test(timeout=120)
def test_a_storage_that_is_away_stops_the_target_and_nothing_else(t):
    """While redo cannot be written the target shows nothing new; it goes on by itself after."""
    source, target = t.pair()
    folder = t.path("redo")
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)",
                   "INSERT INTO shop.t VALUES (1, 1)")
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop.*"],
                  **{"redo.storage": f"file://{folder}"})
    server.wait_copied("all")
    source.execute("UPDATE shop.t SET v=2")
    server.wait_applied("all", source)
    # As a file system that is not mounted: the way to it leads nowhere.
    os.rename(folder, folder + ".away")
    os.symlink(folder + ".nowhere", folder)
    try:
        source.execute("UPDATE shop.t SET v=3")
        server.wait("all", lambda look: "redo" in (look.get("waiting_for") or ""),
                    "the feed to say that it waits for redo")
        check(target.value("SELECT v FROM shop.t") == 2, "the target shows what is not durable")
        check(server.look("all")["state"] != "failed", "the feed failed")
    finally:
        os.remove(folder)
        os.rename(folder + ".away", folder)
    server.wait_applied("all", source)
    check(target.value("SELECT v FROM shop.t") == 3, "the feed did not go on")


@test(timeout=240)
def test_a_copy_with_redo_is_completed_from_it(t):
    """A copy that follows its source, killed and resumed, loses the source for good while its target
    is behind: the replay completes it."""
    source, target = t.pair()
    witness = t.server(t.source_dialect)
    nativereplica.attach(t, source, witness, start=False)
    storage = "file://" + t.path("redo")
    work = Workload(source, t.first_seed, pause=0.002, rows=400).create().start()
    options = ["--include", "rnd.*", "--redo", storage, "--state", t.path("state")]
    copy = wherry.start_streaming(t, source, target, *options, cutover="never")
    try:
        work.let_run(0.7)
        copy.kill9()
        work.let_run(0.5)
        copy = wherry.start_streaming(t, source, target, *options, "--resume", cutover="never")
        work.let_run(0.5)
        with target.connect() as blocker, blocker.cursor() as cursor:
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            before = _recorded(target, "copy")
            wait_until(lambda: _meta(t, storage, "copy")["resolved"]["cseq"] > before + 300, 60,
                       "redo to go on while the target stands still")
            work.server_may_die = True
            source.kill9()
            copy.kill9()
    finally:
        work.stop()
    meta = _meta(t, storage, "copy")
    _redo(t, "apply", storage, "--target", target.target_uri)
    source.start()
    nativereplica.run_until(witness, meta["resolved"]["gtid"])
    _equal(witness, target)


@test(timeout=180)
def test_a_replay_that_is_killed_goes_on(t):
    """Killed at random moments, to an earlier place first: the same as one replay."""
    source, target = t.pair()
    rng = random.Random(f"replay {t.first_seed}")
    witness = t.server(t.source_dialect)
    nativereplica.attach(t, source, witness, start=False)
    storage = "file://" + t.path("redo")
    work = Workload(source, t.first_seed, pause=0.001, rows=400).create().start()
    server = feeds.Feeds(t).start()
    try:
        server.create("all", source, target, include=["rnd.*"],
                      **{"redo.storage": storage, "redo.interval": "100ms"})
        server.wait_copied("all")
        with target.connect() as blocker, blocker.cursor() as cursor:
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            work.let_run(1)
            middle = _meta(t, storage)["resolved"]
            before = _recorded(target)
            wait_until(lambda: _meta(t, storage)["resolved"]["cseq"] > before + 2000, 60, "redo")
            server.kill9()
    finally:
        work.stop()
    meta = _meta(t, storage)
    place = "%s:%d" % (middle["file"], middle["offset"])
    dry = _redo(t, "apply", storage, "--target", target.target_uri, "--to", place, "--dry-run")
    check(dry["to"]["cseq"] == middle["cseq"], lambda: f"{dry}")
    _redo(t, "apply", storage, "--target", target.target_uri, "--to", place)
    nativereplica.run_until(witness, middle["gtid"])
    _equal(witness, target)
    for _round in range(t.rounds or 4):
        replay = wherry.Run(t, ["redo", "apply", "--storage", storage, "--target",
                                target.target_uri, "--lanes", str(rng.randint(1, 6))],
                            secrets=datadirs.SECRETS)
        work.let_run(rng.uniform(0.05, 0.4))
        replay.kill9()
    _redo(t, "apply", storage, "--target", target.target_uri)
    nativereplica.run_until(witness, meta["resolved"]["gtid"])
    _equal(witness, target)


@test(timeout=120)
def test_two_replays_at_once(t):
    """The second one is refused while the first has the target's lease."""
    source, target = t.pair()
    storage = "file://" + t.path("redo")
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)")
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop.*"], **{"redo.storage": storage})
    server.wait_copied("all")
    with target.connect() as blocker, blocker.cursor() as cursor:
        cursor.execute("LOCK TABLES shop.t WRITE")
        source.execute(*[f"INSERT INTO shop.t VALUES ({n}, {n})" for n in range(20)])
        before = _recorded(target)
        wait_until(lambda: _meta(t, storage)["resolved"]["cseq"] >= before + 20, 60, "redo")
        server.kill9()
        first = wherry.Run(t, ["redo", "apply", "--storage", storage, "--target",
                               target.target_uri], secrets=datadirs.SECRETS)
        wait_until(lambda: int(target.value("SELECT MAX(epoch) FROM wherry.lease")) > 1, 30,
                   "the first replay to take the lease")
        second = wherry.run(t, "redo", "apply", "--storage", storage, "--target",
                            target.target_uri, secrets=datadirs.SECRETS)
        second.expect(wherry.EXIT_REFUSED)
        check("lease" in second.err, second.tail)
        cursor.execute("UNLOCK TABLES")
    first.expect(wherry.EXIT_DONE, timeout=60)
    _equal(source, target)


@test(timeout=120)
def test_a_replay_of_some_tables(t):
    """Rows and statements of the tables that are named, and of no others; it may be gone on with,
    and neither a replay of other tables nor the feed takes the target for a whole one."""
    source, target = t.pair()
    storage = "file://" + t.path("redo")
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.a (id INT PRIMARY KEY, v INT)",
                   "CREATE TABLE shop.b (id INT PRIMARY KEY, v INT)",
                   "INSERT INTO shop.a VALUES (1, 1)", "INSERT INTO shop.b VALUES (1, 1)")
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop.*"], **{"redo.storage": storage})
    server.wait_copied("all")
    with target.connect() as blocker, blocker.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        begin = _meta(t, storage)["resolved"]["cseq"]
        source.execute("UPDATE shop.a SET v=2", "UPDATE shop.b SET v=2",
                       "ALTER TABLE shop.b ADD COLUMN w INT")
        with source.connect() as both, both.cursor() as change:
            change.execute("BEGIN")
            change.execute("INSERT INTO shop.a VALUES (2, 2)")
            change.execute("INSERT INTO shop.b VALUES (2, 2, 2)")
            change.execute("COMMIT")
        wait_until(lambda: _meta(t, storage)["resolved"]["cseq"] >= begin + 4, 30, "redo")
        middle = _meta(t, storage)["resolved"]
        source.execute("ALTER TABLE shop.a ADD COLUMN w INT", "CREATE TABLE shop.new_b (id INT)",
                       "CREATE TABLE shop.a2 (id INT PRIMARY KEY)", "INSERT INTO shop.a2 VALUES (7)",
                       "UPDATE shop.a SET w=3")
        wait_until(lambda: _meta(t, storage)["resolved"]["cseq"] >= middle["cseq"] + 5, 30, "redo")
        server.kill9()

    def apply(*options, code=wherry.EXIT_DONE):
        run = wherry.run(t, "redo", "apply", "--storage", storage, "--target", target.target_uri,
                         "--json", *options, secrets=datadirs.SECRETS)
        run.expect(code)
        return run

    epoch = target.value("SELECT MAX(epoch) FROM wherry.lease")
    apply("--tables", "shop.a,shop.a2", "--dry-run")
    check(target.value("SELECT MAX(epoch) FROM wherry.lease") == epoch, "a dry run took the lease")
    apply("--tables", "shop.a,shop.a2", "--to", "%s:%d" % (middle["file"], middle["offset"]))
    check(target.rows("SELECT * FROM shop.a ORDER BY id") == [(1, 2), (2, 2)], "shop.a is wrong")
    for other in ([], ["--tables", "shop.b"]):
        refused = apply(*other, code=wherry.EXIT_REFUSED)
        check("shop.a,shop.a2 alone" in refused.err, refused.tail)
    report = json.loads(apply("--tables", "shop.a", "--tables", "shop.a2").out)
    check(report["tables"] == ["shop.a", "shop.a2"], lambda: f"{report}")
    check(target.rows("SELECT * FROM shop.a ORDER BY id") == [(1, 2, 3), (2, 2, 3)], "shop.a")
    check(target.rows("SELECT * FROM shop.a2") == [(7,)], "shop.a2 is not there")
    check(target.rows("SELECT * FROM shop.b") == [(1, 1)], "shop.b changed")
    check(not target.rows("SHOW TABLES IN shop LIKE 'new%'"), "another table was made")
    server.start()
    wait_until(lambda: server.look("all")["state"] == "failed", 30, "the feed to be refused")
    check("alone" in json.dumps(server.look("all")["error"]), lambda: f"{server.look('all')}")


@test(timeout=120)
def test_a_feed_is_removed_while_its_storage_is_away(t):
    """What waits for redo leaves nobody waiting, and a feed of the same name may begin anew."""
    source, target = t.pair()
    folder = t.path("redo")
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)",
                   "INSERT INTO shop.t VALUES (1, 1)")
    server = feeds.Feeds(t).start()
    keys = {"redo.storage": f"file://{folder}", "include": ["shop.*"]}
    server.create("all", source, target, **keys)
    server.wait_copied("all")
    os.rename(folder, folder + ".away")
    os.symlink(folder + ".nowhere", folder)
    source.execute("UPDATE shop.t SET v=2")
    server.wait("all", lambda look: "redo" in (look.get("waiting_for") or ""), "the feed to wait")
    server.call("DELETE", "/feeds/all", expect=(200, 202, 204))
    os.remove(folder)
    os.rename(folder + ".away", folder)
    server.create("again", source, target, existing="use", start="now", **keys)
    server.wait_copied("again")
    source.execute("UPDATE shop.t SET v=3")
    server.wait("again", lambda look: target.value("SELECT v FROM shop.t") == 3, "the new feed")


@test(timeout=120)
def test_redo_is_removed_with_its_feed_where_that_is_asked(t):
    """It stays unless asked; a removal outlives a storage that is away and a server that is killed,
    keeps the name until it is done, and touches no redo of another source."""
    source, target = t.pair()
    folder = t.path("redo")
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)",
                   "INSERT INTO shop.t VALUES (1)")
    server = feeds.Feeds(t).start()
    keys = {"redo.storage": f"file://{folder}", "include": ["shop.*"], "existing": "use"}

    def objects(name):
        return [one for _, _, files in os.walk(os.path.join(folder, name)) for one in files]

    def gone(name):
        return not any(one["name"] == name for one in server.call("GET", "/feeds")["feeds"])

    def remove(name):
        server.call("DELETE", f"/feeds/{name}")

    def begin(name, **more):
        server.create(name, source, target, start="now", **{**keys, **more})
        server.wait_copied(name)

    server.create("kept", source, target, **{k: v for k, v in keys.items() if k != "existing"})
    server.wait_copied("kept")
    remove("kept")
    wait_until(lambda: gone("kept"), 30, "the feed to be removed")
    check(objects("kept"), "redo went without being asked for")
    begin("all", **{"redo.on-remove": "discard"})
    begin("other", **{"redo.on-remove": "discard"})
    os.rename(folder, folder + ".away")
    os.symlink(folder + ".nowhere", folder)
    remove("all")
    server.kill9()
    server.start()
    check(not gone("all"), "the feed is gone before its redo")
    server.call("POST", "/feeds", {"name": "all", "source": source.source_uri,
                                   "sink": target.target_uri, **keys}, expect=(409,))
    os.remove(folder)
    os.rename(folder + ".away", folder)
    claim = next(one for one in objects("other") if one.endswith(".epoch"))
    wait_until(lambda: gone("all"), 60, "the removal to go on")
    check(not objects("all"), lambda: f"left: {objects('all')}")
    check(claim in objects("other") and objects("kept"), "redo of another feed was removed")


@test(timeout=120)
def test_redo_into_the_other_dialect_is_refused(t):
    """Before anything is written there."""
    source, target = t.pair()
    other = t.server("mysql" if source.dialect == "mariadb" else "mariadb")
    storage = "file://" + t.path("redo")
    source.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)")
    server = feeds.Feeds(t).start()
    server.create("all", source, target, include=["shop.*"], **{"redo.storage": storage})
    server.wait_copied("all")
    server.stop()
    run = wherry.run(t, "redo", "apply", "--storage", storage, "--target", other.target_uri,
                     secrets=datadirs.SECRETS)
    run.expect(wherry.EXIT_REFUSED)
    check("is replayed into MySQL, and" in run.err, run.tail)
    check(not other.rows("SHOW DATABASES LIKE 'wherry'"), "something was written")


def _rebuilt(t, work, source, witness, storage):
    """A fresh server that is made from redo alone is what the source's binlog makes at resolved."""
    meta = _meta(t, storage, "copy")
    check(meta["snapshot"] == "complete", lambda: f"{meta}")
    check(_redo(t, "verify", storage)["ok"], "the redo is damaged")
    fresh = t.server(t.source_dialect)
    dry = _redo(t, "apply", storage, "--target", fresh.target_uri, "--dry-run")
    check(not fresh.rows("SHOW DATABASES LIKE 'wherry'"), lambda: f"a dry run wrote: {dry}")
    rng = random.Random(f"rebuild {t.first_seed}")
    for _round in range(t.rounds or 2):
        replay = wherry.Run(t, ["redo", "apply", "--storage", storage, "--target", fresh.target_uri],
                            secrets=datadirs.SECRETS)
        work.let_run(rng.uniform(0.05, 0.5))
        replay.kill9()
    report = _redo(t, "apply", storage, "--target", fresh.target_uri)
    check(report["to"]["cseq"] == meta["resolved"]["cseq"], lambda: f"{report}")
    source.start()
    nativereplica.run_until(witness, meta["resolved"]["gtid"])
    _equal(witness, fresh)
    return fresh


@test(timeout=240)
def test_an_empty_target_is_made_from_redo_alone(t):
    """A copy under concurrent writes, killed in mid-snapshot again and again and resumed; then
    source and target are lost. What the redo holds makes the source anew, statements included."""
    source, target = t.pair()
    rng = random.Random(f"snapshot {t.first_seed}")
    witness = t.server(t.source_dialect)
    nativereplica.attach(t, source, witness, start=False)
    storage = "file://" + t.path("redo")
    work = Workload(source, t.first_seed, pause=0.002, rows=1000, keyless=False).create()
    rows = ",".join(f"({n},{5000 - n},{n % 7})" for n in range(2500))
    source.execute("CREATE TABLE rnd.keys (a INT PRIMARY KEY, b INT NOT NULL, c INT, KEY (c))",
                   f"INSERT INTO rnd.keys VALUES {rows}")
    work.start()
    options = ["--include", "rnd.*", "--redo", storage, "--state", t.path("state"),
               "--chunk-rows", "60", "--rate", "3000rows"]
    copy = wherry.start_copy(t, source, target, *options, cutover="never")
    folder = os.path.join(t.path("redo"), "copy")
    try:
        # A redo that begins later than the copy would hold changes only.
        wait_until(lambda: os.path.isdir(folder)
                   and any(one.endswith(".epoch") for one in os.listdir(folder)), 30, "the redo")
        for number in range(t.rounds or 2):
            work.let_run(rng.uniform(0.3, 0.6))
            if number == 1:
                source.execute("ALTER TABLE rnd.keys DROP PRIMARY KEY, ADD PRIMARY KEY (b)",
                               "CREATE TABLE rnd.fresh (id INT PRIMARY KEY, v INT)",
                               "INSERT INTO rnd.fresh VALUES (1, 1), (2, 2)",
                               "UPDATE rnd.keys SET c = c + 1 WHERE b % 3 = 0")
            work.let_run(rng.uniform(0.2, 0.3))
            copy.kill9()
            snapshot = _meta(t, storage, "copy")["snapshot"]
            t.log(f"snapshot {snapshot}, target at {_recorded(target, 'copy')}")
            if snapshot == "incomplete":
                fresh = t.server(t.source_dialect)
                refused = wherry.run(t, "redo", "apply", "--storage", storage, "--target",
                                     fresh.target_uri, secrets=datadirs.SECRETS)
                refused.expect(wherry.EXIT_REFUSED)
                check("not complete" in refused.err, refused.tail)
                check(not fresh.rows("SHOW DATABASES LIKE 'rnd'"), "something was made")
                t.release(fresh)
            copy = wherry.start_copy(t, source, target, *options, "--resume", cutover="never")
        copy.wait_state("catching-up")
        work.let_run(0.5)
        work.server_may_die = True
        source.kill9()
        copy.kill9()
    finally:
        work.stop()
    fresh = _rebuilt(t, work, source, witness, storage)
    _redo(t, "apply", storage, "--target", target.target_uri)
    _equal(fresh, target)
