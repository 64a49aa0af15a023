// The table of kinds; docs/DDL.md shows the same rows.
#include <array>

#include "sql/statement.h"

namespace wherry::sql {
namespace {

constexpr std::array kKinds{
    KindRow{Kind::begin, "begin", Policy::control, "opens a transaction"},
    KindRow{Kind::commit, "commit", Policy::control,
            "ends a transaction (engines without an XID event)"},
    KindRow{Kind::rollback, "rollback", Policy::control,
            "ends a transaction that also wrote to other engines"},
    KindRow{Kind::savepoint, "savepoint", Policy::control, "names a place inside a transaction"},
    KindRow{Kind::rollback_to_savepoint, "rollback-to-savepoint", Policy::control,
            "takes rows of the transaction back"},
    KindRow{Kind::release_savepoint, "release-savepoint", Policy::control, "forgets a savepoint"},
    KindRow{Kind::xa_start, "xa-start", Policy::control, "opens a branch"},
    KindRow{Kind::xa_end, "xa-end", Policy::control, "closes a branch, its rows are complete"},
    KindRow{Kind::xa_prepare, "xa-prepare", Policy::control, "the rows wait for the outcome"},
    KindRow{Kind::xa_commit, "xa-commit", Policy::control,
            "the rows of the branch take their place here"},
    KindRow{Kind::xa_rollback, "xa-rollback", Policy::control,
            "the rows of the branch are dropped"},
    KindRow{Kind::create_database, "create-database", Policy::apply, "tables need it"},
    KindRow{Kind::alter_database, "alter-database", Policy::apply,
            "later tables inherit its character set"},
    KindRow{Kind::drop_database, "drop-database", Policy::apply, "removes its tables"},
    KindRow{Kind::create_table, "create-table", Policy::apply, "the shape of rows"},
    KindRow{Kind::create_table_like, "create-table-like", Policy::apply, "the shape of rows"},
    KindRow{Kind::create_table_select, "create-table-select", Policy::apply,
            "the rows follow as row events; stops where the text itself selects them"},
    KindRow{Kind::alter_table, "alter-table", Policy::apply,
            "the shape of rows; stops where it swaps table files in or out"},
    KindRow{Kind::drop_table, "drop-table", Policy::apply, "removes rows without row events"},
    KindRow{Kind::rename_table, "rename-table", Policy::apply,
            "later rows come under the new name"},
    KindRow{Kind::truncate_table, "truncate-table", Policy::apply,
            "removes rows without row events"},
    KindRow{Kind::create_index, "create-index", Policy::apply, "keys belong to the shape"},
    KindRow{Kind::drop_index, "drop-index", Policy::apply, "keys belong to the shape"},
    KindRow{Kind::create_view, "create-view", Policy::ignore,
            "holds no rows; brought over at the end on request"},
    KindRow{Kind::alter_view, "alter-view", Policy::ignore,
            "holds no rows; brought over at the end on request"},
    KindRow{Kind::drop_view, "drop-view", Policy::ignore, "the target has no views until the end"},
    KindRow{Kind::create_routine, "create-routine", Policy::ignore,
            "its effects arrive as rows; brought over at the end on request"},
    KindRow{Kind::alter_routine, "alter-routine", Policy::ignore,
            "its effects arrive as rows; brought over at the end on request"},
    KindRow{Kind::drop_routine, "drop-routine", Policy::ignore,
            "the target has no routines until the end"},
    KindRow{
        Kind::create_trigger, "create-trigger", Policy::ignore,
        "its effects arrive as rows and must not happen twice; brought over at the end on request"},
    KindRow{Kind::drop_trigger, "drop-trigger", Policy::ignore,
            "the target has no triggers until the end"},
    KindRow{Kind::create_event, "create-event", Policy::ignore,
            "its effects arrive as rows and must not happen twice; brought over at the end on "
            "request, disabled"},
    KindRow{Kind::alter_event, "alter-event", Policy::ignore,
            "brought over at the end on request, disabled"},
    KindRow{Kind::drop_event, "drop-event", Policy::ignore,
            "the target has no events until the end"},
    KindRow{Kind::create_sequence, "create-sequence", Policy::apply,
            "a table of one row in disguise"},
    KindRow{Kind::alter_sequence, "alter-sequence", Policy::apply,
            "changes its row without a row event"},
    KindRow{Kind::drop_sequence, "drop-sequence", Policy::apply,
            "removes its row without a row event"},
    KindRow{Kind::temporary_table, "temporary-table", Policy::ignore,
            "lives in one session of the source; what it fed arrives as rows"},
    KindRow{Kind::account, "account", Policy::ignore,
            "accounts are not copied; the report says so"},
    KindRow{Kind::maintenance, "maintenance", Policy::ignore, "changes no rows and no shape"},
    KindRow{Kind::set_statement, "set", Policy::ignore,
            "settings of the source; events carry what they need"},
    KindRow{Kind::dml, "dml", Policy::stop,
            "rows changed in statement format; running the text again may give other rows"},
    KindRow{Kind::other_ddl, "other-ddl", Policy::ignore,
            "objects of the server, not of a table; stops where it brings table files in"},
    KindRow{Kind::unknown, "unknown", Policy::stop, "nothing is skipped that is not understood"},
};

}  // namespace

std::span<const KindRow> kinds() { return kKinds; }

const KindRow& row_of(Kind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row;
  }
  return kKinds.back();
}

std::string_view to_string(Kind kind) { return row_of(kind).name; }

}  // namespace wherry::sql
