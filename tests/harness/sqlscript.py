"""SQL case files: their header, their parts, and their statements one by one."""
import glob
import os
import re

from . import places

_PART = re.compile(r"^-- ==== (schema|seed|live) ====$", re.M)


class Case:
    """One file of tests/cases: `schema` and `seed` go before the copy, `live` comes during it."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as text:
            content = text.read()
        pieces = _PART.split(content)
        header = dict(re.findall(r"^-- (\w+): (.*)$", pieces[0], re.M))
        self.id = header["id"]
        self.kind = header["kind"]
        self.requires = header["requires"]
        self.group = header["group"]
        self.needs = header.get("needs", "").split()
        self.database = "c" + self.id.lower()
        parts = dict(zip(pieces[1::2], pieces[2::2]))
        self.schema = statements(parts["schema"])
        self.seed = statements(parts.get("seed", ""))
        self.live = statements(parts.get("live", ""))

    def runs_on(self, dialect):
        return self.requires in ("any", dialect)

    def need(self, prefix):
        """The values of the needs that begin with `prefix`, such as "option:"."""
        return [n[len(prefix) :] for n in self.needs if n.startswith(prefix)]


def cases(dialect=None):
    found = [Case(path) for path in sorted(glob.glob(os.path.join(places.CASES, "B*.sql")))]
    return [c for c in found if dialect is None or c.runs_on(dialect)]


_TOKEN = re.compile(
    r"""
    --[ \t][^\n]* | --\n | \#[^\n]* | /\*.*?\*/       # comments
  | '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `(?:[^`]|``)*`
  | ;
""",
    re.X | re.S,
)


def statements(text):
    """Splits a script at its semicolons, outside of quotes and comments."""
    found, begin = [], 0
    for token in _TOKEN.finditer(text):
        if token.group() == ";":
            found.append(text[begin : token.start()].strip())
            begin = token.end()
    found.append(text[begin:].strip())
    return [s for s in found if s and not re.fullmatch(r"(--[^\n]*\s*)+", s)]


def play(server, script):
    """Runs statements in one new session, as a client would: the session's settings carry over."""
    with server.connect() as session, session.cursor() as cursor:
        for statement in script:
            try:
                cursor.execute(statement)
                while cursor.nextset():
                    pass
            except Exception as error:
                raise RuntimeError(f"{error}\nin: {statement[:300]}") from error
