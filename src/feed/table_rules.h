// Which tables a feed in table mode follows, what they are called at its sink, which changes it
// takes and what it does with statements. A value; any thread may ask.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/batch.h"
#include "dispatch/table_rows.h"
#include "feed/map_columns.h"
#include "sql/statement.h"
#include "support/pattern.h"

namespace wherry::feed {

// "shard_*.users=all.users", "db=db2" or "db.table=db2.table2": the first that matches decides.
// Many sources may go into one target.
struct Rename {
  Pattern from;
  std::string database;
  std::string table;  // empty: as at the source
};
Result<Rename> parse_rename(std::string_view text);

// What becomes of a kind of statement that the table of kinds would apply.
enum class StatementPolicy { apply, skip, stop };
// "drop-table=stop". The kind is one of docs/DDL.md.
Result<std::pair<std::string, StatementPolicy>> parse_statement_policy(std::string_view text);

struct TableRules {
  Selection selection;
  std::vector<Rename> renames;
  dispatch::FilterRules filters;
  // What they leave out, of all copies of these rules.
  std::shared_ptr<std::atomic<std::uint64_t>> filtered =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  CollationNames collations;                          // where there are conditions
  std::map<std::string, StatementPolicy> statements;  // by kind; others are applied
  NameCase name_case = NameCase::exact;

  bool follows(const TableName& source) const;
  TableName target_of(const TableName& source) const;
  StatementPolicy policy_of(sql::Kind kind) const;
};

// The table maps of one walk through the stream, joined with the rules. One thread. Without names
// in the table map (binlog_row_metadata=FULL) a followed table is refused.
class RowTables {
 public:
  // only: tables that go elsewhere are left out. The rules must outlive it.
  RowTables(const TableRules& rules, std::optional<TableName> only)
      : rules_(rules), only_(std::move(only)) {}

  Status table_map(Bytes body, std::shared_ptr<const decode::FormatDescription> format);
  // Null: not followed. malformed: no table map came before.
  Result<dispatch::RowTablePtr> find(std::uint64_t table_id) const;

 private:
  Result<dispatch::RowTablePtr> make(Bytes body,
                                     std::shared_ptr<const decode::FormatDescription> format) const;

  struct Entry {
    std::vector<std::byte> body;
    std::shared_ptr<const decode::FormatDescription> format;
    dispatch::RowTablePtr table;
  };
  const TableRules& rules_;
  const std::optional<TableName> only_;
  std::unordered_map<std::uint64_t, Entry> by_id_;
};

}  // namespace wherry::feed
