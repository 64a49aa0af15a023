"""How the oracle reads one column: an SQL expression whose text tells every value of the type apart.

Text and binary are read as the bytes that are stored, FLOAT widened to DOUBLE (its own text has six
digits only), ENUM and SET by number and by text, BIT as a number, JSON of MySQL with the type of every
value inside. NULL stays NULL. Times depend on the session's time zone, which the oracle sets to +00:00.
"""
import json

_TEXT = {"char", "varchar", "tinytext", "text", "mediumtext", "longtext"}
_BINARY = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
_LONG = {"text", "mediumtext", "longtext", "blob", "mediumblob", "longblob", "vector"}
_GEOMETRY = {
    "geometry",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
    "geomcollection",
}
_EXACT_TEXT = {
    "tinyint",
    "smallint",
    "mediumint",
    "int",
    "bigint",
    "decimal",
    "date",
    "time",
    "datetime",
    "timestamp",
    "year",
    "uuid",
    "inet4",
    "inet6",
}
# Longer values are read as length and hash, so that a report stays readable and a row fits a packet.
_WHOLE_UP_TO = 256


def quote(name):
    return "`" + name.replace("`", "``") + "`"


def _bytes_of(column):
    return (
        f"IF(LENGTH({column})<={_WHOLE_UP_TO}, HEX({column}), CONCAT('long:',LENGTH({column}),"
        f"':',SHA2(CAST({column} AS BINARY),256)))"
    )


def _typed_json(column):
    """The canonical text, and JSON_TYPE of the document and of every value inside it, in order."""
    inner = ""
    for path in ("$**.*", "$**[*]"):
        inner += (
            f",'|',COALESCE((SELECT GROUP_CONCAT(JSON_TYPE(v) ORDER BY o) FROM JSON_TABLE("
            f"{column}, '{path}' COLUMNS (o FOR ORDINALITY, v JSON PATH '$')) AS j),'')"
        )
    # The type lists repeat few words and may be long, so they count by their hash.
    types = f"SHA2(CONCAT(JSON_TYPE({column}){inner}),256)"
    text = f"CAST({column} AS CHAR)"
    return (
        f"IF({column} IS NULL, NULL, CONCAT(IF(LENGTH({text})<=2000, {text}, CONCAT('long:',"
        f"LENGTH({text}),':',SHA2({text},256))),' types:',JSON_TYPE({column}),':',"
        f"LEFT({types},16)))"
    )


def expression(name, data_type):
    """The SQL expression for one column of a table of the same dialect on both sides."""
    column = quote(name)
    kind = data_type.lower()
    if kind in _EXACT_TEXT:
        return f"CAST({column} AS CHAR)"
    if kind in ("float", "double"):
        # No CAST to CHAR around it: MySQL cuts that text at 22 characters.
        return f"CAST({column} AS DOUBLE)"
    if kind in ("enum", "set"):
        return f"CONCAT(CAST({column} AS UNSIGNED),'=',HEX({column}))"
    if kind == "bit":
        return f"CAST(CAST({column} AS UNSIGNED) AS CHAR)"
    if kind == "json":
        return _typed_json(column)
    if kind in _LONG or kind in _GEOMETRY:
        return _bytes_of(column)
    if kind in _TEXT or kind in _BINARY:
        return f"HEX({column})"
    raise ValueError(f"the oracle does not know the type {data_type} of column {name}")


def _family(data_type):
    kind = data_type.lower()
    if kind in _TEXT or kind == "json":
        return "text"
    if kind in _BINARY:
        return "binary"
    if kind in _GEOMETRY:
        return "geometry"
    return kind


def compatible(one, other):
    """Whether values of the two types can be compared between the dialects."""
    return _family(one) == _family(other)


def cross_expression(name, data_type):
    """Like `expression`, for comparing between dialects: text by its characters."""
    column = quote(name)
    kind = data_type.lower()
    if kind == "json":
        return f"CAST({column} AS CHAR)"
    if kind in _TEXT:
        return f"CAST(CONVERT({column} USING utf8mb4) AS CHAR)"
    if kind in ("enum", "set"):
        return f"CONCAT(CAST({column} AS UNSIGNED),'=',HEX(CONVERT({column} USING utf8mb4)))"
    return expression(name, data_type)


def same_json(text):
    """A document's text with blanks and key order made uniform; numbers keep their spelling."""
    if text is None:
        return None
    return json.dumps(json.loads(text, parse_float=str, parse_int=str), sort_keys=True)
