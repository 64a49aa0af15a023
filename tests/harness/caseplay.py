"""Plays SQL cases through wherry: many in one copy, and alone those that need settings of their own.

Three ways: `snapshot` (everything happened before the copy starts), `live` (the live part runs on the
source while wherry streams) and `resumed` (it runs while wherry is stopped, or is killed meanwhile).
"""
import os

from . import oracle, places, sqlscript, wherry

SOURCE_OPTIONS = {"default-time-zone": "+08:00"}
_ENGINES_WITHOUT_TRANSACTIONS = {"B154": ("cb154.sp_m",), "B155": ("cb155.mx_m", "cb155.mx_a")}


class Refused(Exception):
    """wherry ended in a way that is a right answer to this case; the text says how."""


def waiting(dialect):
    """{case id: reason} of tests/cases/waiting.txt for this dialect."""
    found = {}
    with open(os.path.join(places.CASES, "waiting.txt"), encoding="utf-8") as text:
        for line in text:
            if line.strip() and not line.startswith("#"):
                case, which, reason = line.strip().split(None, 2)
                if which in ("*", dialect):
                    found[case] = reason
    kinds = {c.id: c.kind for c in sqlscript.cases()}
    wrong = [c for c in found if kinds.get(c) != "ddl"]
    if wrong:
        raise AssertionError(f"waiting.txt may only list cases of kind ddl: {wrong}")
    return found


def _options(cases, way):
    given = {"--chunk-rows": "2"} if way == "snapshot" else {}
    for case in cases:
        for name, value in (need.split("=", 1) for need in case.need("option:")):
            if name == "--chunk-rows" and name in given and way != "snapshot":
                value = min(value, given[name], key=int)
            given[name] = value
    return [piece for option in given.items() for piece in option]


def _server_options(cases):
    found = dict(SOURCE_OPTIONS)
    for case in cases:
        found.update(need.split("=", 1) for need in case.need("server:"))
    return found


def _play_part(server, cases, *parts):
    for case in cases:
        for part in parts:
            sqlscript.play(server, getattr(case, part))


def _snapshot(t, source, target, cases, options):
    _play_part(source, cases, "live")
    wherry.copy(t, source, target, *options)


def _live(t, source, target, cases, options):
    run = wherry.start_copy(t, source, target, *options)
    if any("during-copy" in c.needs for c in cases):
        run.wait_state("copying", *wherry.STREAMING)
    else:
        run.wait_state(*wherry.STREAMING)
    _play_part(source, cases, "live")
    code = run.cutover()
    if code != wherry.EXIT_DONE:
        raise AssertionError(f"exit code {code}\n{run.tail()}")


def _resumed(t, source, target, cases, options):
    run = wherry.start_copy(t, source, target, *options, cutover="never")
    if any("kills" in c.needs for c in cases):
        run.wait_state(*wherry.STREAMING)
        _play_part(source, cases, "live")
        run.kill9()
        again = wherry.start_streaming(t, source, target, "--resume", *options, cutover="never")
        again.kill9()
    else:
        run.wait_state(*wherry.STREAMING)
        run.interrupt()
        _play_part(source, cases, "live")
    wherry.copy(t, source, target, "--resume", *options)


_WAYS = {"snapshot": _snapshot, "live": _live, "resumed": _resumed}


def _play_once(t, cases, way, options):
    """One copy of these cases; returns {case id: text of its differences}, empty where equal."""
    source = t.server(options=_server_options(cases))
    target = t.server()
    try:
        _play_part(source, cases, "schema", "seed")
        _WAYS[way](t, source, target, cases, options)
        found = oracle.compare(source, target)
        answer = {}
        for case in cases:
            mine = found.by_schema(case.database)
            answer[case.id] = "\n".join(str(d) for d in mine)
        return answer
    finally:
        t.release(source, target)


def play(t, cases, way, options=()):
    """Plays the cases in one copy. When the copy itself fails, halves the cases to name the guilty.

    Returns {case id: None or the error}.
    """
    try:
        found = _play_once(t, cases, way, _options(cases, way) + list(options))
        return {name: text or None for name, text in found.items()}
    except Exception as error:
        t.log(f"{way} of {[c.id for c in cases]}: {error}")
        if len(cases) == 1:
            return {cases[0].id: str(error)}
    middle = len(cases) // 2
    return {**play(t, cases[:middle], way, options), **play(t, cases[middle:], way, options)}


def play_statement_format(t, case, way):
    """Changes logged as statements are applied, or the run stops and names the statement's place."""
    error = play(t, [case], way)[case.id]
    if error is None:
        return None
    text = error.lower()
    if "exit code 1" in text or "exit 1" in text or "ended before" in text:
        if "statement" in text and ("binlog" in text or "position" in text or "gtid" in text):
            return None
    return error


def play_with_other_engines(t, case, way):
    """Tables without transactions are copied right, or refused by name and then left out."""
    error = play(t, [case], way)[case.id]
    if error is None:
        return None
    tables = _ENGINES_WITHOUT_TRANSACTIONS[case.id]
    if not all(name in error.replace("`", "") for name in tables):
        return error
    excluded = [piece for name in tables for piece in ("--exclude", name)]
    source = t.server(options=_server_options([case]))
    target = t.server()
    try:
        _play_part(source, [case], "schema", "seed")
        _WAYS[way](t, source, target, [case], excluded)
        found = oracle.compare(source, target, ignore=tables)
        return None if found else found.text()
    except Exception as failure:
        return str(failure)
    finally:
        t.release(source, target)
