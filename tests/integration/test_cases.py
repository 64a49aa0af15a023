"""Every SQL case of tests/cases, from MariaDB to MariaDB and from MySQL to MySQL, in three ways."""
from harness import caseplay, sqlscript
from harness.framework import batch

_GROUPS = ("plain", "keyless", "foreign-keys", "ddl")


def _items(*groups):
    return lambda dialect: [c.id for c in sqlscript.cases(dialect) if c.group in groups]


def _chosen(t):
    return [c for c in sqlscript.cases(t.dialect) if c.id in t.items]


def _record(t, cases, found, *, may_wait):
    waiting = caseplay.waiting(t.dialect)
    for case in cases:
        error = found[case.id]
        if error and may_wait and case.id in waiting:
            t.result(case.id, skip="waiting: " + waiting[case.id])
        else:
            if not error and case.id in waiting:
                t.log(f"{case.id} passes and need not be in waiting.txt")
            t.result(case.id, error=error)


def _together(t, way):
    for group in _GROUPS:
        cases = [c for c in _chosen(t) if c.group == group]
        if cases:
            _record(t, cases, caseplay.play(t, cases, way), may_wait=way != "snapshot")


def _alone(t, way):
    special = {
        "B150": caseplay.play_statement_format,
        "B154": caseplay.play_with_other_engines,
        "B155": caseplay.play_with_other_engines,
    }
    for case in _chosen(t):
        if case.id in special:
            t.result(case.id, error=special[case.id](t, case, way))
        else:
            t.result(case.id, error=caseplay.play(t, [case], way)[case.id])


@batch(items=_items(*_GROUPS), timeout=400)
def test_snapshot(t):
    _together(t, "snapshot")


@batch(items=_items(*_GROUPS), timeout=400)
def test_live(t):
    _together(t, "live")


@batch(items=_items(*_GROUPS), timeout=400)
def test_resumed(t):
    _together(t, "resumed")


@batch(items=_items("alone"), timeout=300)
def test_alone_snapshot(t):
    _alone(t, "snapshot")


@batch(items=_items("alone"), timeout=300)
def test_alone_live(t):
    _alone(t, "live")


@batch(items=_items("alone"), timeout=300)
def test_alone_resumed(t):
    _alone(t, "resumed")


@batch(items=lambda dialect: ["1", "2", "999", "1000", "1001"])
def test_chunk_edges(t):
    """The case with gaps around chunk edges, in chunks of several sizes."""
    case = next(c for c in sqlscript.cases(t.dialect) if c.id == "B103")
    for size in t.items:
        found = caseplay.play(t, [case], "live", ["--chunk-rows", size])
        t.result(size, error=found[case.id])
