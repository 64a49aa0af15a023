"""Table definitions as the oracle compares them: read from information_schema, as plain values."""
from .servers import SYSTEM_DATABASES

_SKIPPED = SYSTEM_DATABASES + ("wherry",)

_COLUMN_FACTS = {
    "mariadb": (
        "ordinal_position",
        "column_type",
        "is_nullable",
        "column_default",
        "character_set_name",
        "collation_name",
        "extra",
        "generation_expression",
        "column_comment",
    ),
    "mysql": (
        "ordinal_position",
        "column_type",
        "is_nullable",
        "column_default",
        "character_set_name",
        "collation_name",
        "extra",
        "generation_expression",
        "column_comment",
        "srs_id",
    ),
}
_INDEX_FACTS = {
    "mariadb": (
        "seq_in_index",
        "non_unique",
        "column_name",
        "sub_part",
        "collation",
        "index_type",
        "index_comment",
        "ignored",
    ),
    "mysql": (
        "seq_in_index",
        "non_unique",
        "column_name",
        "sub_part",
        "collation",
        "index_type",
        "index_comment",
        "is_visible",
        "expression",
    ),
}
_OBJECTS = {
    "view": "SELECT table_schema, table_name, view_definition, check_option, is_updatable, definer,"
    " security_type FROM information_schema.views",
    "trigger": "SELECT trigger_schema, trigger_name, event_manipulation, event_object_table,"
    " action_order, action_statement, action_timing, sql_mode, definer"
    " FROM information_schema.triggers",
    "routine": "SELECT routine_schema, routine_name, routine_type, dtd_identifier,"
    " routine_definition, is_deterministic, sql_data_access, security_type, sql_mode,"
    " routine_comment, definer FROM information_schema.routines",
    # Whether an event is enabled differs on purpose: the target must not run it yet.
    "event": "SELECT event_schema, event_name, event_definition, event_type, interval_value,"
    " interval_field, sql_mode, on_completion, event_comment, definer"
    " FROM information_schema.events",
}


class Table:
    def __init__(self, schema, name, facts):
        self.schema = schema
        self.name = name
        self.facts = facts  # engine, collation, options, comment
        self.auto_increment = None
        self.columns = {}  # name -> (data type, facts)
        self.indexes = {}  # name -> list of facts, one a part
        self.constraints = {}  # name -> facts; foreign keys and checks
        self.partitions = []

    def key(self):
        """The columns of the primary key, else of a unique key without NULL, else none."""
        for name in sorted(self.indexes, key=lambda n: (n != "PRIMARY", n)):
            parts = self.indexes[name]
            if all(
                p["non_unique"] == 0
                and p["sub_part"] is None
                and p["column_name"] in self.columns
                and self.columns[p["column_name"]][1]["is_nullable"] == "NO"
                for p in parts
            ):
                return [p["column_name"] for p in parts]
        return []


def _where(column, databases):
    if databases is not None:
        names = ",".join("'" + n.replace("\\", "\\\\").replace("'", "''") + "'" for n in databases)
        return f"{column} IN ({names or 'NULL'})"
    return f"{column} NOT IN ({','.join(repr(n) for n in _SKIPPED)})"


def _facts(names, values):
    return dict(zip(names, values))


def read_schemas(cursor, databases):
    cursor.execute(
        "SELECT schema_name, default_character_set_name, default_collation_name"
        " FROM information_schema.schemata WHERE " + _where("schema_name", databases)
    )
    return {row[0]: {"charset": row[1], "collation": row[2]} for row in cursor.fetchall()}


def _read_constraints(cursor, tables, databases):
    cursor.execute(
        "SELECT k.table_schema, k.table_name, k.constraint_name, k.ordinal_position, k.column_name,"
        " k.referenced_table_schema, k.referenced_table_name, k.referenced_column_name,"
        " r.update_rule, r.delete_rule FROM information_schema.key_column_usage k JOIN"
        " information_schema.referential_constraints r ON r.constraint_schema=k.constraint_schema"
        " AND r.constraint_name=k.constraint_name AND r.table_name=k.table_name WHERE"
        " k.referenced_table_name IS NOT NULL AND "
        + _where("k.table_schema", databases)
        + " ORDER BY 1, 2, 3, 4"
    )
    for row in cursor.fetchall():
        if (row[0], row[1]) in tables:
            tables[row[0], row[1]].constraints.setdefault(row[2], []).append(row[3:])


def _read_checks(cursor, dialect, tables, databases):
    if dialect == "mariadb":
        cursor.execute(
            "SELECT constraint_schema, table_name, constraint_name, check_clause, level"
            " FROM information_schema.check_constraints WHERE "
            + _where("constraint_schema", databases)
        )
    else:
        cursor.execute(
            "SELECT c.constraint_schema, t.table_name, c.constraint_name, c.check_clause,"
            " t.enforced FROM information_schema.check_constraints c JOIN"
            " information_schema.table_constraints t ON t.constraint_schema="
            "c.constraint_schema AND t.constraint_name=c.constraint_name WHERE "
            + _where("c.constraint_schema", databases)
        )
    for row in cursor.fetchall():
        if (row[0], row[1]) in tables:
            tables[row[0], row[1]].constraints["check " + row[2]] = row[3:]


def read_tables(cursor, dialect, databases=None):
    """{(schema, table): Table} of the named databases, or of all user databases."""
    where = _where("table_schema", databases)
    cursor.execute(
        "SELECT table_schema, table_name, engine, table_collation, create_options,"
        " table_comment, auto_increment FROM information_schema.tables WHERE table_type"
        " IN ('BASE TABLE', 'SYSTEM VERSIONED') AND " + where
    )
    tables = {}
    for schema, name, engine, collation, options, comment, counter in cursor.fetchall():
        # Aria spells its default out in SHOW CREATE TABLE, so that a copy has it as an option.
        options = (options or "").replace("page_checksum=1", "").strip()
        facts = {"engine": engine, "collation": collation, "options": options, "comment": comment}
        tables[schema, name] = Table(schema, name, facts)
        tables[schema, name].auto_increment = counter and int(counter)
    names = _COLUMN_FACTS[dialect]
    cursor.execute(
        "SELECT table_schema, table_name, column_name, data_type, "
        + ", ".join(names)
        + " FROM information_schema.columns WHERE "
        + where
        + " ORDER BY table_schema, table_name, ordinal_position"
    )
    for row in cursor.fetchall():
        if (row[0], row[1]) in tables:
            tables[row[0], row[1]].columns[row[2]] = (row[3], _facts(names, row[4:]))
    names = _INDEX_FACTS[dialect]
    cursor.execute(
        "SELECT table_schema, table_name, index_name, "
        + ", ".join(names)
        + " FROM information_schema.statistics WHERE "
        + where
        + " ORDER BY table_schema, table_name, index_name, seq_in_index"
    )
    for row in cursor.fetchall():
        if (row[0], row[1]) in tables:
            parts = tables[row[0], row[1]].indexes.setdefault(row[2], [])
            facts = _facts(names, row[3:])
            facts["non_unique"] = int(facts["non_unique"])
            parts.append(facts)
    cursor.execute(
        "SELECT table_schema, table_name, partition_name, subpartition_name,"
        " partition_method, partition_expression, partition_description FROM"
        " information_schema.partitions WHERE partition_name IS NOT NULL AND "
        + where
        + " ORDER BY 1, 2, partition_ordinal_position, subpartition_ordinal_position"
    )
    for row in cursor.fetchall():
        if (row[0], row[1]) in tables:
            tables[row[0], row[1]].partitions.append(row[2:])
    _read_constraints(cursor, tables, databases)
    _read_checks(cursor, dialect, tables, databases)
    return tables


def read_objects(cursor, kinds, databases):
    """{(kind, schema, name): facts} of views, triggers, routines and events."""
    found = {}
    for kind in kinds:
        query = _OBJECTS[kind]
        column = query.split()[1].rstrip(",")
        cursor.execute(query + " WHERE " + _where(column, databases))
        for row in cursor.fetchall():
            found[kind, row[0], row[1]] = row[2:]
    return found
