"""The rules that the checker enforces, each a function from a file to findings."""

import re
from dataclasses import dataclass
from pathlib import Path

import cpp
import rooms

TABLE_ROW = re.compile(r"^\| `([\w/]+)` \|([^|]*)\|$", re.MULTILINE)
LINK_DEPS = re.compile(r"wherry_room\(\s*(\S+)([^)]*)\)")

# Spelled in two parts, so that this file does not find itself.
MACHINE_PATHS = re.compile("|".join([
    r"(?<![\w.])/" + r"work/", r"/home/" + r"[a-z]\w*/", r"(?<![\w.])/" + r"root/",
    r"/tmp/" + r"bash_"]))
REGISTRY_HOSTS = re.compile("|".join([
    "deb" + r"\.debian\.org", "snapshot" + r"\.debian\.org", "registry" + r"\.npmjs",
    "pypi" + r"\.org", "proxy" + r"\.golang"]))
NOLINT = re.compile(r"NOLINT(?:NEXTLINE|BEGIN)?(?:\([\w\-.,* ]+\))?(.*)")


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


def room_of(path):
    """The room of a path below src/, e.g. sink/mysql for sink/mysql/lane.h; None for none."""
    parts = path.split("/")
    for count in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:count])
        if name in rooms.ROOMS:
            return name
    return None


def kind_of(path):
    if path.endswith(".h"):
        return "header"
    return "test" if path.endswith("_test.cc") else "source"


def is_table(path):
    return re.search(r"_table\.(h|cc)$", path) is not None


def check_includes(path, source):
    """path is relative to src/."""
    room = room_of(path)
    if room is None:
        yield Finding("src/" + path, 1, "belongs to no room of tools/layers/rooms.py")
        return
    for included, line in source.includes:
        target = room_of(included)
        if target is None:
            yield Finding("src/" + path, line, f'"{included}" is no header of a room')
        elif target != room and target not in rooms.ROOMS[room] and \
                included not in rooms.ROOMS[room]:
            yield Finding("src/" + path, line, f'{room} may not include "{included}"')


def check_sizes(path, text, source):
    if is_table(path):
        return
    kind = kind_of(path)
    lines = text.count("\n")
    limit = {"header": rooms.HEADER_LINES, "source": rooms.SOURCE_LINES,
             "test": rooms.TEST_LINES}[kind]
    if lines > limit:
        yield Finding(path, 1, f"{kind} of {lines} lines, {limit} is the most")
    for function in source.functions:
        if function.lines > rooms.FUNCTION_LINES:
            yield Finding(path, function.line, f"{function.name} has {function.lines} lines, "
                          f"{rooms.FUNCTION_LINES} is the most")
        if function.parameters > rooms.PARAMETERS:
            yield Finding(path, function.line, f"{function.name} takes {function.parameters} "
                          f"parameters, {rooms.PARAMETERS} is the most")
    for kind in source.types:
        # A struct is a plain value: as many fields as the thing has.
        if kind.keyword == "class" and kind.members > rooms.DATA_MEMBERS:
            yield Finding(path, kind.line, f"{kind.name} has {kind.members} data members, "
                          f"{rooms.DATA_MEMBERS} is the most")
        if kind.public_methods > rooms.PUBLIC_METHODS:
            yield Finding(path, kind.line, f"{kind.name} has {kind.public_methods} public methods, "
                          f"{rooms.PUBLIC_METHODS} is the most")


def check_names(path, source):
    for kind in source.types:
        for word in re.findall(r"[A-Z][a-z0-9]*", kind.name):
            if word in rooms.BANNED_CLASS_WORDS:
                yield Finding(path, kind.line, f"{kind.name}: a type is not called {word}")


def check_words(path, source):
    """Constructs that are not used here at all, or only in support."""
    in_support = path.startswith("src/support/")
    tokens = source.tokens
    for i, token in enumerate(tokens):
        previous = tokens[i - 1].text if i > 0 else ""
        if token.text in ("volatile", "goto"):
            yield Finding(path, token.line, f"{token.text} is not used here")
        elif token.text == "detach" and previous in (".", "->"):
            yield Finding(path, token.line, "a thread is joined, never detached")
        elif not in_support and previous == "::" and token.text in (
                "mutex", "recursive_mutex", "shared_mutex", "timed_mutex", "condition_variable",
                "condition_variable_any"):
            yield Finding(path, token.line, f"std::{token.text} belongs to support: share by "
                          "Guarded<T>, a queue, or a shared_ptr<const T>")
        elif token.text == "namespace" and previous == "using" and path.endswith(".h"):
            yield Finding(path, token.line, "a header does not open a namespace for its readers")
    for comment in source.comments:
        if re.search(r"\b(TODO|FIXME|XXX)\b", comment.text):
            yield Finding(path, comment.line, "unfinished: do it, or write down what is missing")
        found = NOLINT.search(comment.text)
        if found and "NOLINTEND" not in comment.text and \
                not re.search(r"[:,] *\w+", found.group(1)):
            yield Finding(path, comment.line, "NOLINT(check): needs its reason")


def check_head(path, text):
    if not path.endswith(".h"):
        return
    lines = text.split("\n")
    if not lines[0].startswith("// "):
        yield Finding(path, 1, "a header opens with what it is, its owner, thread and lifetime")
    if "#pragma once" not in lines[:12]:
        yield Finding(path, 1, "#pragma once is missing below the opening comment")


def check_text(path, data):
    """Rules for any text file of the repository."""
    if b"\0" in data or not data:
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if not text.endswith("\n"):
        yield Finding(path, text.count("\n") + 1, "no newline at the end of the file")
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip() and not path.endswith((".md", ".sql", ".patch")):
            yield Finding(path, number, "blanks at the end of the line")
        if MACHINE_PATHS.search(line):
            yield Finding(path, number, "names a path of one machine")
        if REGISTRY_HOSTS.search(line):
            yield Finding(path, number, "names a registry host; the host's own settings know it")
        if len(line) > 100 and path.endswith((".h", ".cc")) and not is_table(path) and \
                "http" not in line and 'R"' not in line:
            yield Finding(path, number, f"{len(line)} columns, 100 is the most")


def check_source_file(root, path):
    data = (root / path).read_bytes()
    text = data.decode(errors="replace")
    source = cpp.parse(text)
    inside = path[len("src/"):] if path.startswith("src/") else None
    if inside is not None:
        yield from check_includes(inside, source)
        yield from check_head(path, text)
    yield from check_sizes(path, text, source)
    yield from check_names(path, source)
    yield from check_words(path, source)


def check_rooms(root):
    """The table, its copy in docs/STYLE.md, the folders and the link lines say the same."""
    style = root / "docs" / "STYLE.md"
    shown = {name: [part.strip(" `") for part in allowed.split(",") if part.strip(" `")]
             for name, allowed in TABLE_ROW.findall(style.read_text())}
    for name, allowed in rooms.ROOMS.items():
        if name not in shown:
            yield Finding("docs/STYLE.md", 1, f"the rooms table has no row for {name}")
        elif sorted(shown[name]) != sorted(allowed):
            yield Finding("docs/STYLE.md", 1, f"{name} may include {', '.join(allowed) or '-'} by "
                          f"tools/layers/rooms.py and {', '.join(shown[name]) or '-'} by the table")
    for name in shown.keys() - rooms.ROOMS.keys():
        yield Finding("docs/STYLE.md", 1, f"{name} is no room of tools/layers/rooms.py")
    for name, allowed in rooms.ROOMS.items():
        lists = root / "src" / name / "CMakeLists.txt"
        if not lists.exists():
            continue
        yield from check_links(lists.read_text(), name, allowed)


def check_links(text, name, allowed):
    path = f"src/{name}/CMakeLists.txt"
    for room, rest in LINK_DEPS.findall(text):
        if room != name:
            yield Finding(path, 1, f"declares the room {room}, not {name}")
        for dependency in re.findall(r"\bwherry_(\w+)", rest):
            if dependency == "flags":
                continue
            target = next((r for r in rooms.ROOMS if r.replace("/", "_") == dependency), None)
            headers = [entry for entry in allowed if target and entry.startswith(target + "/")]
            if target not in allowed and not headers:
                yield Finding(path, 1, f"{name} may not link wherry_{dependency}")


def check_file(root, path):
    yield from check_text(path, Path(root / path).read_bytes())
    if path.endswith((".h", ".cc")):
        yield from check_source_file(root, path)
