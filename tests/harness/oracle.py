"""The content oracle: are two servers equal, table by table, value by value?

It shares no code with wherry and trusts nothing of its reports. A table with a key is compared row by
row, one without as a bag of rows. Both sides must be at rest.
"""
from . import oracle_tables, oracle_values

_SHOWN_PER_TABLE = 8
_SHOWN_LENGTH = 120


class Difference:
    def __init__(self, schema, table, text):
        self.schema = schema
        self.table = table
        self.text = text

    def __str__(self):
        return (
            f"{self.schema}.{self.table}: {self.text}"
            if self.table
            else f"{self.schema}: {self.text}"
        )


class Comparison:
    """What was compared and what differed; true in a condition when nothing did."""

    def __init__(self):
        self.differences = []
        self.rows = 0
        self.tables = 0
        self.notes = []

    def add(self, schema, table, text):
        self.differences.append(Difference(schema, table, text))

    def __bool__(self):
        return not self.differences

    def by_schema(self, schema):
        return [d for d in self.differences if d.schema == schema]

    def text(self, limit=40):
        lines = [str(d) for d in self.differences[:limit]]
        if len(self.differences) > limit:
            lines.append(f"... and {len(self.differences) - limit} more")
        return "\n".join(lines) or f"equal ({self.tables} tables, {self.rows} rows)"


class Side:
    """One server, or the part of it that is compared, under the oracle's session settings."""

    def __init__(self, server, databases):
        self.dialect = server.dialect
        self.session = server.connect(conv={})
        cursor = self.session.cursor()
        cursor.execute("SET SESSION time_zone='+00:00', sql_mode='', group_concat_max_len=16777216")
        if self.dialect == "mysql":
            cursor.execute("SET SESSION information_schema_stats_expiry=0")
        self.cursor = cursor
        self.schemas = oracle_tables.read_schemas(cursor, databases)
        self.tables = oracle_tables.read_tables(cursor, self.dialect, databases)

    def rows(self, table, expressions):
        self.cursor.execute(
            "SELECT %s FROM %s.%s"
            % (
                ", ".join(expressions),
                oracle_values.quote(table.schema),
                oracle_values.quote(table.name),
            )
        )
        return self.cursor.fetchall()

    def close(self):
        self.session.close()


def _short(value):
    if value is None:
        return "NULL"
    return value if len(value) <= _SHOWN_LENGTH else value[:_SHOWN_LENGTH] + "…"


def _bag(rows):
    counts = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return counts


def _explain(comparison, table, columns, missing, extra):
    """Turns rows found on one side only into sentences: changed, missing, too many."""
    key = [columns.index(name) for name in table.key() if name in columns]
    extra_by_key = {}
    if key:
        for row in extra:
            extra_by_key.setdefault(tuple(row[i] for i in key), row)
    lines = []
    for row, count in missing.items():
        shown = tuple(row[i] for i in key)
        name = ", ".join(f"{columns[i]}={_short(row[i])}" for i in key)
        other = extra_by_key.pop(shown, None) if key else None
        if other is not None:
            changed = [
                f"{c}: {_short(a)} <> {_short(b)}" for c, a, b in zip(columns, row, other) if a != b
            ]
            lines.append(f"row {name} differs in " + "; ".join(changed))
        else:
            what = name if key else ", ".join(_short(v) for v in row)
            lines.append(f"row {what} is missing on the target ({count} times)")
    for row in extra_by_key.values() if key else extra:
        what = (
            ", ".join(f"{columns[i]}={_short(row[i])}" for i in key)
            if key
            else ", ".join(_short(v) for v in row)
        )
        lines.append(f"row {what} is on the target only ({extra[row]} times)")
    for line in lines[:_SHOWN_PER_TABLE]:
        comparison.add(table.schema, table.name, line)
    if len(lines) > _SHOWN_PER_TABLE:
        comparison.add(table.schema, table.name, f"{len(lines)} rows differ in all")


def _compare_bags(comparison, table, columns, source_rows, target_rows):
    comparison.tables += 1
    comparison.rows += len(source_rows)
    left, right = _bag(source_rows), _bag(target_rows)
    if left == right:
        return
    missing = {r: n - right.get(r, 0) for r, n in left.items() if n > right.get(r, 0)}
    extra = {r: n - left.get(r, 0) for r, n in right.items() if n > left.get(r, 0)}
    _explain(comparison, table, columns, missing, extra)


def _compare_rows(comparison, source, target, one, other):
    columns = [name for name in one.columns if name in other.columns]
    expressions = [oracle_values.expression(name, one.columns[name][0]) for name in columns]
    mine = [oracle_values.expression(name, other.columns[name][0]) for name in columns]
    _compare_bags(comparison, one, columns, source.rows(one, expressions), target.rows(other, mine))


def _compare_rows_cross(comparison, source, target, one, other):
    columns = [
        name
        for name in one.columns
        if name in other.columns
        and oracle_values.compatible(one.columns[name][0], other.columns[name][0])
    ]
    for name in one.columns:
        if name not in columns:
            comparison.notes.append(f"{one.schema}.{one.name}.{name} is not comparable")
    json_at = [
        i
        for i, name in enumerate(columns)
        if "json" in (one.columns[name][0], other.columns[name][0])
    ]

    def read(side, table):
        rows = side.rows(
            table,
            [oracle_values.cross_expression(name, table.columns[name][0]) for name in columns],
        )
        if not json_at:
            return rows
        return [
            tuple(oracle_values.same_json(v) if i in json_at else v for i, v in enumerate(row))
            for row in rows
        ]

    _compare_bags(comparison, one, columns, read(source, one), read(target, other))


def _compare_facts(comparison, table, what, one, other):
    for name in one:
        if name not in other:
            comparison.add(table.schema, table.name, f"{what} {name} is missing on the target")
        elif one[name] != other[name]:
            comparison.add(
                table.schema, table.name, f"{what} {name} is {one[name]} <> {other[name]}"
            )
    for name in other:
        if name not in one:
            comparison.add(table.schema, table.name, f"{what} {name} is on the target only")


def _compare_definition(comparison, one, other, auto_increment):
    _compare_facts(comparison, one, "attribute", one.facts, other.facts)
    for name, (_kind, facts) in one.columns.items():
        if name in other.columns:
            _compare_facts(comparison, one, f"column {name}", facts, other.columns[name][1])
        else:
            comparison.add(one.schema, one.name, f"column {name} is missing on the target")
    for name in other.columns:
        if name not in one.columns:
            comparison.add(one.schema, one.name, f"column {name} is on the target only")
    _compare_facts(comparison, one, "index", one.indexes, other.indexes)
    _compare_facts(comparison, one, "constraint", one.constraints, other.constraints)
    if one.partitions != other.partitions:
        comparison.add(one.schema, one.name, f"partitions {one.partitions} <> {other.partitions}")
    if auto_increment and (one.auto_increment or 0) > (other.auto_increment or 0):
        comparison.add(
            one.schema,
            one.name,
            f"AUTO_INCREMENT {one.auto_increment} is higher than"
            f" the target's {other.auto_increment}",
        )


def _renamed(rename, schema, table):
    return rename.get((schema, table)) or (rename.get(schema, schema), table)


def _compare_tables(comparison, source, target, rename, options):
    claimed = set()
    for (schema, name), one in sorted(source.tables.items()):
        if (schema, name) in options["ignore"] or f"{schema}.{name}" in options["ignore"]:
            claimed.add(_renamed(rename, schema, name))
            continue
        place = _renamed(rename, schema, name)
        claimed.add(place)
        other = target.tables.get(place)
        if other is None:
            comparison.add(schema, name, "table is missing on the target")
            continue
        if options["definitions"]:
            _compare_definition(comparison, one, other, options["auto_increment"])
        compare = _compare_rows_cross if options["cross"] else _compare_rows
        compare(comparison, source, target, one, other)
    for schema, name in sorted(target.tables):
        if (schema, name) not in claimed and f"{schema}.{name}" not in options["ignore"]:
            comparison.add(schema, name, "table is on the target only")


def compare(
    source,
    target,
    *,
    databases=None,
    target_databases=None,
    rename=None,
    ignore=(),
    objects=(),
    definitions=True,
    auto_increment=True,
):
    """Compares the user databases (or those named) of two servers and returns a Comparison.

    `rename` maps a database to another name, or (database, table) to (database, table). `ignore`
    holds "database.table" names. `objects` names more to compare: view, trigger, routine, event.
    Between dialects only content is compared, where the types allow it.
    """
    comparison = Comparison()
    rename = rename or {}
    cross = source.dialect != target.dialect
    options = {
        "ignore": set(ignore),
        "cross": cross,
        "auto_increment": auto_increment,
        "definitions": definitions and not cross,
    }
    if databases is not None and target_databases is None:
        target_databases = [rename.get(name, name) for name in databases]
    one, other = Side(source, databases), Side(target, target_databases)
    try:
        for name, facts in one.schemas.items():
            mine = other.schemas.get(rename.get(name, name))
            if mine is None:
                if any(schema == name for schema, _ in one.tables):
                    comparison.add(name, "", "database is missing on the target")
            elif options["definitions"] and mine != facts:
                comparison.add(name, "", f"database defaults {facts} <> {mine}")
        _compare_tables(comparison, one, other, rename, options)
        if objects:
            wanted = oracle_tables.read_objects(one.cursor, objects, databases)
            found = oracle_tables.read_objects(other.cursor, objects, target_databases)
            for key in sorted(wanted.keys() | found.keys()):
                if wanted.get(key) != found.get(key):
                    comparison.add(
                        key[1], key[2], f"{key[0]} {wanted.get(key)} <> {found.get(key)}"
                    )
    finally:
        one.close()
        other.close()
    return comparison


def require_equal(source, target, **options):
    """Raises AssertionError with the readable differences unless the two servers are equal."""
    comparison = compare(source, target, **options)
    if not comparison:
        raise AssertionError("the target differs from the source:\n" + comparison.text())
    return comparison
