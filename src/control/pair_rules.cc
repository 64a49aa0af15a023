#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "control/preflight_rules.h"
#include "support/ascii.h"
#include "support/units.h"

namespace wherry::control {
namespace {

// utf8_ is the old name of utf8mb3_.
std::string canonical_collation(const std::string& name) {
  return name.starts_with("utf8_") ? "utf8mb3_" + name.substr(5) : name;
}

const std::optional<int>* find_collation(const ServerView& view, const std::string& name) {
  auto found = view.collations.find(name);
  if (found == view.collations.end() && name.starts_with("utf8mb3_")) {
    found = view.collations.find("utf8_" + name.substr(8));
  }
  return found == view.collations.end() ? nullptr : &found->second;
}

// UCA 9.0 of MySQL and UCA 14.0 of MariaDB weigh differently, also where one has the other's names.
bool is_dialects_own(const std::string& name) {
  return name.find("_0900_") != std::string::npos || name.find("uca1400") != std::string::npos;
}

std::string charset_of(const std::string& collation) {
  return collation.substr(0, collation.find('_'));
}

bool has_charset(const ServerView& view, const std::string& charset) {
  return std::any_of(view.collations.begin(), view.collations.end(), [&](const auto& entry) {
    return charset_of(canonical_collation(entry.first)) == charset;
  });
}

// Of these the rules are the same under both names, the first of MySQL.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOtherNames = {{
    {"utf8mb4_0900_bin", "utf8mb4_nopad_bin"},
    {"utf8mb4_croatian_ci", "utf8mb4_croatian_mysql561_ci"},
}};

// Collations to propose in place of one without a twin, the nearest first. Only the first kind is
// exact: whether another will do the owner of the data must say.
std::vector<std::string> proposals(const std::string& name, bool to_mariadb) {
  std::vector<std::string> out;
  for (const auto& [mysql, mariadb] : kOtherNames) {
    if (name == (to_mariadb ? mysql : mariadb)) out.emplace_back(to_mariadb ? mariadb : mysql);
  }
  const bool sensitive = name.ends_with("_cs") || name.ends_with("_bin");
  if (charset_of(name) == "utf8mb4" && to_mariadb) {
    out.emplace_back(sensitive ? "utf8mb4_uca1400_nopad_as_cs" : "utf8mb4_uca1400_nopad_ai_ci");
    out.emplace_back(sensitive ? "utf8mb4_nopad_bin" : "utf8mb4_unicode_520_nopad_ci");
  } else if (charset_of(name) == "utf8mb4") {
    out.emplace_back(sensitive ? "utf8mb4_0900_as_cs" : "utf8mb4_0900_ai_ci");
  }
  std::string padded = name;
  const std::size_t nopad = padded.find("_nopad");
  if (nopad != std::string::npos) padded.erase(nopad, 6);
  out.push_back(padded);
  out.push_back(charset_of(name) + (sensitive ? "_bin" : "_general_ci"));
  out.push_back(charset_of(name) + "_bin");
  return out;
}

std::string nearest_collation(const std::string& collation, const ServerView& to) {
  const std::string name = canonical_collation(collation);
  for (const std::string& candidate : proposals(name, to.facts.is_mariadb())) {
    if (candidate != name && find_collation(to, candidate) != nullptr) return candidate;
  }
  return "utf8mb4_bin";
}

class PairJudge {
 public:
  PairJudge(const ServerView& source, const ServerView& target, const std::vector<Table>& tables,
            const CopyOptions& options)
      : source_(source), target_(target), tables_(tables), options_(options) {}

  std::vector<Finding> run() {
    identity();
    replication();
    settings();
    collations();
    types();
    return std::move(findings_);
  }

 private:
  void add(Severity severity, std::string subject, std::string message, std::string remedy) {
    findings_.push_back({severity, std::move(subject), std::move(message), std::move(remedy)});
  }
  bool crosses() const { return source_.facts.dialect != target_.facts.dialect; }
  std::string mapped(const std::string& collation) const;

  void identity();
  void replication();
  void settings();
  void collations();
  void unique_text(const Table& table, std::map<std::string, std::size_t>& plain);
  void types();
  void column_type(const Table& table, const Column& column);

  const ServerView& source_;
  const ServerView& target_;
  const std::vector<Table>& tables_;
  const CopyOptions& options_;
  std::vector<Finding> findings_;
};

void PairJudge::identity() {
  if (!source_.facts.server_uuid.empty() && source_.facts.dialect == target_.facts.dialect &&
      source_.facts.server_uuid == target_.facts.server_uuid) {
    add(Severity::refusal, "target", "it is the source itself", "name another server");
  }
  if (!source_.cluster.empty() && source_.cluster == target_.cluster) {
    add(Severity::refusal, "target",
        "it belongs to the same cluster as the source, so it has the rows already",
        "name a server outside of the cluster");
  }
}

// A server is known by its UUID (MySQL) or its number (MariaDB) in the other's replication status.
void PairJudge::replication() {
  const auto replicates_from = [](const ServerView& replica, const ServerView& other) {
    return std::any_of(replica.channels.begin(), replica.channels.end(),
                       [&](const ReplicaChannel& channel) {
                         const auto uuid = channel.find("Master_UUID");
                         if (uuid != channel.end() && !uuid->second.empty())
                           return uuid->second == other.facts.server_uuid;
                         const auto number = channel.find("Master_Server_Id");
                         return number != channel.end() &&
                                number->second == std::to_string(other.facts.server_id) &&
                                other.facts.server_id != 0;
                       });
  };
  if (replicates_from(target_, source_)) {
    add(Severity::refusal, "target",
        "it replicates from the source: every change would be written twice",
        "stop and reset its replication first");
  }
  if (replicates_from(source_, target_)) {
    add(Severity::refusal, "source",
        "it replicates from the target: every change would come back as a new one",
        "stop and reset its replication first");
  }
}

void PairJudge::settings() {
  const std::string names = source_.variable("lower_case_table_names");
  const std::string target_names = target_.variable("lower_case_table_names");
  if (names != target_names) {
    add(Severity::refusal, "target",
        fmt::format("lower_case_table_names is {} at the source and {} at the target", names,
                    target_names),
        "initialise the target with the source's value");
  }
  const std::uint64_t packet = source_.number("max_allowed_packet");
  const std::uint64_t target_packet = target_.number("max_allowed_packet");
  if (target_packet < packet) {
    add(Severity::warning, "target",
        fmt::format(
            "max_allowed_packet is {} and {} at the source: a row larger than that stops the copy",
            format_bytes(target_packet), format_bytes(packet)),
        fmt::format("SET GLOBAL max_allowed_packet = {};", packet));
  }
  const std::uint64_t page = source_.number("innodb_page_size");
  const std::uint64_t target_page = target_.number("innodb_page_size");
  if (target_page < page) {
    add(Severity::warning, "target",
        fmt::format("innodb_page_size is {} and {} at the source: long rows and keys may not fit",
                    target_page, page),
        "");
  }
}

std::string PairJudge::mapped(const std::string& collation) const {
  for (const auto& [from, to] : options_.collation_map) {
    if (canonical_collation(from) == canonical_collation(collation)) return to;
  }
  return "";
}

// Unique text columns whose order and equality would change could refuse rows that the source
// holds.
void PairJudge::unique_text(const Table& table, std::map<std::string, std::size_t>& plain) {
  std::set<std::size_t> unique;
  for (const Index& index : table.indexes) {
    if (!index.unique) continue;
    for (const IndexPart& part : index.parts) unique.insert(part.column);
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.collation.empty() || !mapped(column.collation).empty()) continue;
    if (!collation_twin(column.collation, source_, target_).empty()) continue;
    if (const std::string charset = charset_of(canonical_collation(column.collation));
        !has_charset(target_, charset)) {
      add(Severity::refusal, "table " + table.name.to_string(),
          fmt::format("column {} has character set {}, which the target does not have", column.name,
                      charset),
          "convert the column at the source, or leave the table out with --exclude");
      continue;
    }
    if (unique.count(i) == 0) {
      ++plain[column.collation];
      continue;
    }
    add(Severity::refusal, "table " + table.name.to_string(),
        fmt::format("unique column {} has collation {}, which has no exact twin at the target",
                    column.name, column.collation),
        fmt::format("--map-collation {}={} where its rules will do", column.collation,
                    nearest_collation(column.collation, target_)));
  }
}

void PairJudge::collations() {
  for (const auto& [from, to] : options_.collation_map) {
    if (find_collation(target_, canonical_collation(to)) == nullptr) {
      add(Severity::refusal, "target", fmt::format("--map-collation: it has no collation {}", to),
          "SHOW COLLATION lists what it has");
    }
  }
  std::map<std::string, std::size_t> plain;
  for (const Table& table : tables_) unique_text(table, plain);
  for (const auto& [collation, count] : plain) {
    add(Severity::warning, "target",
        fmt::format("{} columns that are not unique have collation {}, which has no exact twin: "
                    "queries may order and "
                    "match differently",
                    count, collation),
        fmt::format("--map-collation {}={} chooses another", collation,
                    nearest_collation(collation, target_)));
  }
}

void PairJudge::column_type(const Table& table, const Column& column) {
  const bool to_mariadb = target_.facts.is_mariadb();
  const auto refuse = [&](std::string_view what) {
    add(Severity::refusal, "table " + table.name.to_string(),
        fmt::format("column {} is {}, which the target does not have", column.name, what),
        "change the column at the source, or leave the table out with --exclude");
  };
  constexpr unsigned kMariadbVector = 110700;
  constexpr unsigned kMysqlVector = 90000;
  switch (column.kind) {
    case ColumnClass::vector:
      if (crosses() || target_.facts.version < (to_mariadb ? kMariadbVector : kMysqlVector))
        refuse("a VECTOR");
      break;
    case ColumnClass::uuid:
    case ColumnClass::inet4:
    case ColumnClass::inet6:
      if (!to_mariadb) refuse(column.data_type);
      break;
    case ColumnClass::json:
      if (to_mariadb) {
        add(Severity::note, "table " + table.name.to_string(),
            fmt::format("column {} is JSON, which the target keeps as text", column.name), "");
      }
      break;
    default:
      break;
  }
}

void PairJudge::types() {
  for (const Table& table : tables_) {
    for (const Column& column : table.columns) column_type(table, column);
    for (const Index& index : table.indexes) {
      if (!index.functional || !target_.facts.is_mariadb() || !crosses()) continue;
      add(Severity::refusal, "table " + table.name.to_string(),
          fmt::format("index {} is over an expression, which MariaDB does not have", index.name),
          "index a generated column instead");
    }
  }
}

}  // namespace

std::string collation_twin(const std::string& collation, const ServerView& from,
                           const ServerView& to) {
  std::string name = canonical_collation(collation);
  const std::optional<int>* there = find_collation(to, name);
  if (there == nullptr) return "";
  if (from.facts.dialect == to.facts.dialect) return name;
  if (is_dialects_own(name)) return "";
  const std::optional<int>* here = find_collation(from, name);
  const bool same = here != nullptr && here->has_value() && *here == *there;
  if (!same) return "";
  return name;
}

std::vector<Finding> judge_pair(const ServerView& source, const ServerView& target,
                                const std::vector<Table>& tables, const CopyOptions& options) {
  return PairJudge(source, target, tables, options).run();
}

}  // namespace wherry::control
