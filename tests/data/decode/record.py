"""Records binlog events of a running server together with what SELECT says about the same rows.

    record.py --socket PATH --binlog-dir DIR --out FILE CASES

CASES is a file of cases (see cases_*.sql): "-- case NAME" begins one, "-- session SQL" runs before
anything else, the first statement creates table t with an integer key "id", every later one is
recorded: its events, and the rows that SELECT found before and after it. The output is read by
decode's captures_test.
"""
import argparse
import os
import struct

import pymysql

ROW_EVENTS = {19, 23, 24, 25, 30, 31, 32, 39, 40, 166, 167, 168, 169, 170, 171}
DESCRIPTION = 15


def canonical_double(text, single):
    """The shortest text that reads back to the same double, plain or with an exponent."""
    value = float(text)
    if single:
        value = struct.unpack("f", struct.pack("f", value))[0]
    mantissa, exponent = f"{value!r}", 0
    sign = "-" if mantissa.startswith("-") else ""
    mantissa = mantissa.lstrip("-")
    if "e" in mantissa:
        mantissa, power = mantissa.split("e")
        exponent = int(power)
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + exponent - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    if not digits:
        return sign + "0"
    scientific = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    scientific += f"e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        plain = "0." + "0" * -point + digits
    elif len(digits) <= point:
        plain = str(int(abs(value)))
    else:
        plain = digits[:point] + "." + digits[point:]
    return sign + (plain if len(plain) <= len(scientific) else scientific)


class Recorder:
    def __init__(self, arguments):
        self.directory = arguments.binlog_dir
        self.connection = pymysql.connect(unix_socket=arguments.socket, user="root", charset="utf8mb4",
                                          use_unicode=False, autocommit=True, conv={})
        self.out = open(arguments.out, "w", encoding="ascii")

    def run(self, statement):
        with self.connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def position(self):
        for statement in ("SHOW BINARY LOG STATUS", "SHOW MASTER STATUS"):
            try:
                row = self.run(statement)[0]
                return row[0].decode(), int(row[1])
            except pymysql.err.Error:
                continue
        raise SystemExit("the server has no binlog")

    def events(self, file, begin, end):
        with open(os.path.join(self.directory, file), "rb") as log:
            everything = log.read()
        at = 4 if begin is None else begin
        while at < (len(everything) if end is None else end):
            size = struct.unpack_from("<I", everything, at + 9)[0]
            yield everything[at:at + size]
            at += size

    def columns(self):
        rows = self.run("SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE "
                        "TABLE_SCHEMA='decode_captures' AND TABLE_NAME='t' ORDER BY ORDINAL_POSITION")
        return [(name.decode(), kind.decode()) for name, kind in rows]

    @staticmethod
    def expression(name, kind):
        plus_zero = {"tinyint", "smallint", "mediumint", "int", "bigint"}
        if kind in plus_zero:
            return f"`{name}`+0"
        if kind in ("enum", "set"):
            return f"CAST(`{name}` AS UNSIGNED)"
        if kind in ("float", "double"):
            return f"CAST(`{name}` AS DOUBLE)" if kind == "float" else f"`{name}`"
        if kind in ("geometry", "point", "linestring", "polygon", "vector"):
            return f"HEX(`{name}`)"
        return f"`{name}`"

    def rows(self, columns):
        self.run("SET NAMES binary")
        found = self.run("SELECT " + ", ".join(self.expression(*c) for c in columns) +
                         " FROM t ORDER BY id")
        self.run("SET NAMES utf8mb4")
        table = {}
        for row in found:
            table[row[0]] = [self.cell(value, kind) for value, (_, kind) in zip(row, columns)]
        return table

    @staticmethod
    def cell(value, kind):
        if value is None:
            return "N"
        if kind in ("float", "double"):
            value = canonical_double(value.decode(), kind == "float").encode()
        elif kind in ("geometry", "point", "linestring", "polygon", "vector"):
            return "=" + value.decode().lower()
        return "=" + value.hex()

    def write(self, *words):
        self.out.write(" ".join(words) + "\n")

    def record(self, name, session, statements):
        self.run("DROP DATABASE IF EXISTS decode_captures")
        self.run("CREATE DATABASE decode_captures")
        self.run("USE decode_captures")
        self.run("SET SESSION time_zone='+00:00', sql_mode=''")
        for statement in session:
            self.run(statement)
        self.run(statements[0])
        columns = self.columns()
        self.run("FLUSH BINARY LOGS")
        file, _ = self.position()
        description = next(e for e in self.events(file, None, None) if e[4] == DESCRIPTION)
        self.write("case", name)
        self.write("description", description.hex())
        self.write("kinds", *[kind for _, kind in columns])
        for statement in statements[1:]:
            before, (file, begin) = self.rows(columns), self.position()
            self.run(statement)
            (file, end), after = self.position(), self.rows(columns)
            for event in self.events(file, begin, end):
                if event[4] in ROW_EVENTS:
                    self.write("event", event.hex())
            for key in sorted(before.keys() | after.keys(), key=int):
                if before.get(key) == after.get(key):
                    continue
                if key in before:
                    self.write("before", *before[key])
                if key in after:
                    self.write("after", *after[key])
        self.run("DROP DATABASE decode_captures")


def read_cases(path):
    name, session, statements, text = None, [], [], ""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("-- case "):
                if name:
                    yield name, session, statements
                name, session, statements, text = line[8:].strip(), [], [], ""
            elif line.startswith("-- session "):
                session.append(line[11:].strip())
            elif not line.startswith("--"):
                text += line
                if line.rstrip().endswith(";"):
                    statements.append(text.strip().rstrip(";"))
                    text = ""
    if name:
        yield name, session, statements


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", required=True)
    parser.add_argument("--binlog-dir", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("cases", nargs="+")
    arguments = parser.parse_args()
    recorder = Recorder(arguments)
    for path in arguments.cases:
        for name, session, statements in read_cases(path):
            recorder.record(name, session, statements)


if __name__ == "__main__":
    main()
