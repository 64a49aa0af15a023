#include "control/merge_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "control/rename_rule.h"

namespace wherry::control {
namespace {

// What is of another form in the second table; empty: nothing. Unique keys stand in the same order
// in both, since rows clash by them.
std::string first_difference(const Table& one, const Table& other) {
  for (std::size_t i = 0; i < std::max(one.columns.size(), other.columns.size()); ++i) {
    if (i >= one.columns.size()) return fmt::format("column `{}`", other.columns[i].name);
    const Column& a = one.columns[i];
    if (i >= other.columns.size()) return fmt::format("column `{}`", a.name);
    const Column& b = other.columns[i];
    const bool same = a.name == b.name && a.type == b.type && a.collation == b.collation &&
                      a.nullable == b.nullable && a.generated == b.generated;
    if (!same) return fmt::format("column `{}`", a.name);
  }
  const auto uniques = [](const Table& table) {
    std::vector<const Index*> out;
    for (const Index& index : table.indexes) {
      if (index.unique) out.push_back(&index);
    }
    return out;
  };
  const std::vector<const Index*> a = uniques(one);
  const std::vector<const Index*> b = uniques(other);
  const bool same =
      std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Index* left, const Index* right) {
        return left->name == right->name &&
               std::equal(left->parts.begin(), left->parts.end(), right->parts.begin(),
                          right->parts.end(), [](const IndexPart& x, const IndexPart& y) {
                            return x.column == y.column && x.prefix_length == y.prefix_length;
                          });
      });
  return same ? "" : "its unique keys, or their order";
}

class MergeJudge {
 public:
  MergeJudge(const std::vector<Table>& tables, const CopyOptions& options)
      : tables_(tables), options_(options) {}

  std::vector<Finding> run() {
    std::map<TableName, std::vector<const Table*>> by_target;
    for (const Table& table : tables_) {
      // Others that would meet are refused with the target's names.
      if (may_merge(options_.rename, table.name))
        by_target[renamed(options_.rename, table.name)].push_back(&table);
    }
    for (const auto& [target, group] : by_target) {
      if (group.size() > 1) judge(target, group);
    }
    return std::move(findings_);
  }

 private:
  void refuse(const Table& table, std::string what, std::string remedy) {
    findings_.push_back(
        {Severity::refusal, "table " + table.name.to_string(), std::move(what), std::move(remedy)});
  }

  void judge(const TableName& target, const std::vector<const Table*>& group) {
    const Table& first = *group.front();
    for (const Table* table : group) {
      if (row_key(*table) == nullptr)
        refuse(*table, "it has no key, so it cannot be merged with others",
               "give it a primary key");
      if (in_actions(*table))
        refuse(*table, "foreign key actions change its rows, so it cannot be merged with others",
               "rename it to a table of its own");
      // A run that goes on may be between the statements that all of them get: those are judged
      // at their places.
      const std::string what = options_.resume ? "" : first_difference(first, *table);
      if (!what.empty()) {
        refuse(*table,
               fmt::format("it goes into {} as {} does, and has another form: {}",
                           target.to_string(), first.name.to_string(), what),
               "make the definitions equal");
      }
    }
    if (options_.verify != VerifyKind::none) {
      refuse(first, "tables that are merged into one are not compared with it",
             "--verify none, and compare them otherwise");
    }
    if (options_.with_triggers) {
      refuse(first, "triggers of tables that are merged into one would meet there",
             "leave triggers out of --with");
    }
  }

  bool in_actions(const Table& table) const {
    return std::any_of(tables_.begin(), tables_.end(), [&](const Table& one) {
      return std::any_of(
          one.foreign_keys.begin(), one.foreign_keys.end(), [&](const ForeignKey& key) {
            return key.cascades && (one.name == table.name || key.parent == table.name);
          });
    });
  }

  const std::vector<Table>& tables_;
  const CopyOptions& options_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> merge_findings(const std::vector<Table>& tables, const CopyOptions& options) {
  return MergeJudge(tables, options).run();
}

}  // namespace wherry::control
