#include "sql/translate.h"

#include <algorithm>
#include <optional>

#include "sql/collations.h"
#include "sql/definition_text.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

std::string_view name_of(Dialect dialect) {
  return dialect == Dialect::mysql ? "MySQL" : "MariaDB";
}

std::string column_label(const ItemTokens& tokens) { return "column " + quoted(tokens.name(0)); }

// A column with characters: its values are ordered by a collation.
bool is_text_type(const ItemTokens& tokens) {
  for (const std::string_view type :
       {"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"}) {
    if (tokens.is(1, type)) return true;
  }
  return false;
}

// The place of the collation's name after COLLATE, with or without an equals sign.
std::size_t value_after(const ItemTokens& tokens, std::size_t keyword) {
  return tokens.is_symbol(keyword + 1, '=') ? keyword + 2 : keyword + 1;
}

}  // namespace

void Translation::refuse(const std::string& item, const std::string& why) {
  refusals_.push_back(item + ": " + why);
}

Status Translation::result() const {
  if (refusals_.empty()) return Unit{};
  std::string what;
  for (const std::string& refusal : refusals_) what += (what.empty() ? "" : "; ") + refusal;
  return Error{Errc::unsupported, what};
}

std::string Translation::mapped(const std::string& item, std::string_view collation) {
  std::string key = collation_key(collation);
  const auto chosen = collations_.find(key);
  if (chosen != collations_.end()) return chosen->second;
  std::optional<std::string> twin = collation_twin(key, from_, to_);
  if (twin) return std::move(*twin);
  refuse(item, "collation " + key + " has no exact twin on " + std::string(name_of(to_)) +
                   "; choose another, for example by --map-collation " + key + "=" +
                   collation_proposal(key, to_));
  return key;
}

void Translation::item_collations(std::string& text, const std::string& item) {
  const ItemTokens tokens(text, from_);
  Edits edits;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens.is(i, "COLLATE")) {
      const std::size_t value = value_after(tokens, i);
      if (value >= tokens.size()) continue;
      const std::string to = mapped(item, tokens.name(value));
      if (to != tokens.name(value)) edits.replace(tokens.at(value).begin, tokens.at(value).end, to);
    }
    const bool charset =
        (tokens.is(i, "CHARACTER") && tokens.is(i + 1, "SET")) || tokens.is(i, "CHARSET");
    const std::size_t value =
        charset ? value_after(tokens, tokens.is(i, "CHARSET") ? i : i + 1) : tokens.size();
    if (value < tokens.size() && !charset_exists(tokens.name(value), to_)) {
      refuse(item, "character set " + tokens.name(value) + " does not exist on " +
                       std::string(name_of(to_)));
    }
  }
  text = edits.apply(text);
}

// The collation of the table matters to the columns that name none. Where there are none, later
// columns are all it is for, and a near one will do.
void Translation::inherited_collation(CreateTable& table) {
  const ItemTokens tokens(table.tail, from_);
  const std::optional<std::size_t> keyword = tokens.find({"COLLATE"});
  if (!keyword) {
    item_collations(table.tail, "table options");
    return;
  }
  const std::size_t value = value_after(tokens, *keyword);
  if (value >= tokens.size()) return;
  const std::string collation = collation_key(tokens.name(value));
  std::optional<std::string> to = collation_twin(collation, from_, to_);
  const auto chosen = collations_.find(collation);
  if (chosen != collations_.end()) to = chosen->second;
  if (!to) {
    for (const std::string& column : table.columns) {
      const ItemTokens own(column, from_);
      if (is_text_type(own) && !own.find({"COLLATE"}, 1) && !own.find({"CHARACTER", "SET"}, 1)) {
        (void)mapped(column_label(own), collation);
      }
    }
    to = collation_proposal(collation, to_);
  }
  Edits edits;
  edits.replace(tokens.at(value).begin, tokens.at(value).end, *to);
  table.tail = edits.apply(table.tail);
}

void Translation::collations(CreateTable& table) {
  pin_collations(table);
  for (std::string& column : table.columns) {
    const std::string label = column_label(ItemTokens(column, from_));
    item_collations(column, label);
  }
  for (std::string& check : table.checks)
    item_collations(check, "constraint " + ascii::shown(check));
  for (std::string& key : table.keys) item_collations(key, "key " + ascii::shown(key));
  inherited_collation(table);
}

Status translate(CreateTable& table, Dialect from, Dialect to) {
  return translate(table, from, to, {});
}

Status translate(CreateTable& table, Dialect from, Dialect to, const CollationMap& collations) {
  if (from == to) return Unit{};
  CreateTable changed = table;
  Translation translation(from, to, collations);
  translation.collations(changed);
  if (to == Dialect::mariadb) translation.mysql_to_mariadb(changed);
  if (to == Dialect::mysql) translation.mariadb_to_mysql(changed);
  Status status = translation.result();
  if (status.ok()) table = std::move(changed);
  return status;
}

}  // namespace wherry::sql
