"""The rooms of src/ and what each may include. docs/STYLE.md shows the same table; the checker
compares the two, so a change of one is a change of both.

An entry is a room, or one header of a room where only that header may be used.
"""

ROOMS = {
    "support": [],
    "model": ["support"],
    "sql": ["model", "support"],
    "decode": ["model", "support"],
    "mysql": ["model", "support"],
    "source": ["mysql", "sql", "decode", "model", "support"],
    "verify": ["source", "mysql", "sql", "model", "support"],
    "store": ["model", "support"],
    "storage": ["model", "support"],
    "redo": ["storage", "store", "model", "support"],
    "dispatch": ["decode", "sql", "model", "support"],
    "sink/mysql": ["dispatch", "mysql", "decode", "sql", "model", "support"],
    "sink/blackhole": ["dispatch", "decode", "model", "support"],
    "sink/file": ["dispatch", "decode", "model", "support"],
    "copy": ["source", "dispatch", "mysql", "decode", "sql", "model", "support"],
    "feed": ["store", "source", "dispatch", "mysql", "decode", "sql", "model", "support"],
    "control": ["copy", "verify", "sink/mysql", "sink/blackhole", "sink/file", "redo", "feed", "dispatch", "storage", "store",
                "source", "mysql", "decode", "sql", "model", "support"],
    "cli": ["control", "model", "support"],
}

# The hard stops of docs/STYLE.md, in lines and in counts.
HEADER_LINES = 300
SOURCE_LINES = 700
TEST_LINES = 800
FUNCTION_LINES = 70
PARAMETERS = 5
DATA_MEMBERS = 12
PUBLIC_METHODS = 15

BANNED_CLASS_WORDS = ["Manager", "Helper", "Util", "Utils", "Context", "Processor", "Handler",
                      "Data", "Info"]
