#include "control/grants.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "mysql/session.h"
#include "support/ascii.h"

namespace wherry::control {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kAll = "ALL PRIVILEGES";

// Two spellings of one privilege: MariaDB renamed some in 10.5.
std::string canonical(std::string_view privilege) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTwins = {{
      {"BINLOG MONITOR", "REPLICATION CLIENT"},
      {"REPLICA MONITOR", "SLAVE MONITOR"},
      {"DELETE VERSIONING ROWS", "DELETE HISTORY"},
      {"ALL", kAll},
  }};
  std::string name;
  for (const char c : ascii::trim(privilege)) name += ascii::upper(c);
  for (const auto& [twin, standard] : kTwins) {
    if (name == twin) return std::string(standard);
  }
  return name;
}

// Where needle stands outside quotes and parentheses.
std::size_t find_outside(std::string_view text, std::string_view needle) {
  char quote = '\0';
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '`' || c == '\'' || c == '"') {
      quote = c;
    } else if (depth == 0 && text.substr(i).starts_with(needle)) {
      return i;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    }
  }
  return text.npos;
}

// Takes "`name`", "\"name\"" (ANSI_QUOTES) or a plain word off the front.
std::string take_name(std::string_view& rest) {
  std::string name;
  if (rest.empty()) return name;
  const char quote = rest.front();
  if (quote != '`' && quote != '"') {
    const std::size_t end = std::min(rest.find_first_of(". "), rest.size());
    name = std::string(rest.substr(0, end));
    rest.remove_prefix(end);
    return name;
  }
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == quote) {
      if (rest.empty() || rest.front() != quote) return name;
      rest.remove_prefix(1);
    }
    name += c;
  }
  return name;
}

// The pattern of LIKE, with '\' before a character that is meant itself.
bool like(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '%') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip) {
      if (like(pattern.substr(1), text.substr(skip))) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  if (pattern.front() == '\\' && pattern.size() > 1) {
    pattern.remove_prefix(1);
  } else if (pattern.front() == '_') {
    return like(pattern.substr(1), text.substr(1));
  }
  return pattern.front() == text.front() && like(pattern.substr(1), text.substr(1));
}

// What a grant of ALL on one database holds of the privileges that anything here asks for.
constexpr std::array kDatabaseLevel = {
    "SELECT"sv,         "INSERT"sv,        "UPDATE"sv,
    "DELETE"sv,         "CREATE"sv,        "DROP"sv,
    "ALTER"sv,          "INDEX"sv,         "REFERENCES"sv,
    "TRIGGER"sv,        "EVENT"sv,         "LOCK TABLES"sv,
    "EXECUTE"sv,        "CREATE VIEW"sv,   "SHOW VIEW"sv,
    "CREATE ROUTINE"sv, "ALTER ROUTINE"sv, "CREATE TEMPORARY TABLES"sv,
    "DELETE HISTORY"sv};

bool holds(const std::set<std::string, std::less<>>& privileges, std::string_view wanted,
           bool global) {
  if (privileges.count(wanted) > 0) return true;
  if (privileges.count(kAll) == 0) return false;
  return global ||
         std::find(kDatabaseLevel.begin(), kDatabaseLevel.end(), wanted) != kDatabaseLevel.end();
}

}  // namespace

Grants::Grants(const std::vector<std::string>& lines, bool literal_names)
    : literal_names_(literal_names) {
  for (const std::string& line : lines) read_line(line);
}

// GRANT privileges ON [TABLE] object TO ...; a role's grant has no ON, and PROXY, routines and
// packages are on other things.
void Grants::read_line(std::string_view line) {
  Entry entry;
  entry.revoked = line.starts_with("REVOKE ");
  if (!entry.revoked && !line.starts_with("GRANT ")) return;
  line.remove_prefix(line.find(' ') + 1);
  const std::size_t on = find_outside(line, " ON ");
  if (on == line.npos) return;
  std::string_view privileges = line.substr(0, on);
  std::string_view object = line.substr(on + 4);
  if (object.starts_with("TABLE ")) object.remove_prefix(6);
  if (object.starts_with("FUNCTION ") || object.starts_with("PROCEDURE ") ||
      object.starts_with("PACKAGE ")) {
    return;
  }
  while (!privileges.empty()) {
    const std::size_t comma = std::min(find_outside(privileges, ","), privileges.size());
    const std::string_view one = privileges.substr(0, comma);
    privileges.remove_prefix(std::min(comma + 1, privileges.size()));
    // A privilege on some columns is none on the table.
    if (one.find('(') == one.npos) entry.privileges.insert(canonical(one));
  }
  if (entry.privileges.count("PROXY") > 0) return;
  if (!object.starts_with("*.")) {
    entry.database = take_name(object);
    if (!object.starts_with('.')) return;
    object.remove_prefix(1);
    if (!object.starts_with('*')) entry.table = take_name(object);
  }
  entries_.push_back(std::move(entry));
}

bool Grants::covers(const Entry& entry, std::string_view database) const {
  return literal_names_ || !entry.table.empty() ? entry.database == database
                                                : like(entry.database, database);
}

bool Grants::everywhere(std::string_view privilege) const {
  const std::string name = canonical(privilege);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.database.empty() && !entry.revoked && holds(entry.privileges, name, true);
  });
}

bool Grants::on_database(std::string_view privilege, std::string_view database) const {
  const std::string name = canonical(privilege);
  const auto given = [&](bool revoked) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return !entry.database.empty() && entry.table.empty() && entry.revoked == revoked &&
             covers(entry, database) && holds(entry.privileges, name, false);
    });
  };
  return given(false) || (everywhere(name) && !given(true));
}

bool Grants::on_table(std::string_view privilege, const TableName& table) const {
  if (on_database(privilege, table.database)) return true;
  const std::string name = canonical(privilege);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.table == table.table && covers(entry, table.database) &&
           holds(entry.privileges, name, false);
  });
}

std::string quoted_account(std::string_view current_user) {
  const std::size_t at = current_user.rfind('@');
  if (at == current_user.npos) return mysql::quote_text(current_user);
  return mysql::quote_text(current_user.substr(0, at)) + "@" +
         mysql::quote_text(current_user.substr(at + 1));
}

}  // namespace wherry::control
