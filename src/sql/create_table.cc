#include "sql/create_table.h"

#include <algorithm>
#include <optional>
#include <set>

#include "sql/collations.h"
#include "sql/definition_text.h"
#include "sql/statement_reader.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

constexpr Dialect kAny = Dialect::mysql;

// Where the body stands: both parentheses.
struct Body {
  std::size_t open;
  std::size_t close;
};

std::size_t find_open(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '(') at = std::max(skip_quoted(text, at), at + 1);
  return at;
}

// Cuts the body at its commas. Quotes, comments and inner parentheses are stepped over.
std::optional<Body> cut_items(std::string_view text, std::vector<std::string_view>& items) {
  const std::size_t open = find_open(text);
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open; at < text.size();) {
    const char c = text[at];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    const bool ends = depth == 0;
    if (ends || (depth == 1 && c == ',')) {
      items.push_back(ascii::trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    if (ends) return Body{open, at};
    at = std::max(skip_quoted(text, at), at + 1);
  }
  return std::nullopt;
}

std::vector<std::string>& list_for(CreateTable& table, const ItemTokens& tokens) {
  std::size_t at = 0;
  if (tokens.is(0, "CONSTRAINT")) {
    const bool unnamed = tokens.is(1, "FOREIGN") || tokens.is(1, "CHECK") ||
                         tokens.is(1, "UNIQUE") || tokens.is(1, "PRIMARY");
    at = unnamed ? 1 : 2;
  }
  if (tokens.is(at, "FOREIGN")) return table.foreign_keys;
  if (tokens.is(at, "CHECK") || tokens.is(at, "PERIOD")) return table.checks;
  for (const std::string_view start :
       {"PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "VECTOR"}) {
    if (tokens.is(at, start)) return table.keys;
  }
  return at == 0 ? table.columns : table.checks;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0x80) == 0 && c != '\0';
  });
}

// MariaDB prints the default of a binary column byte by byte; such a text is refused in a statement
// whose character set it does not fit, so it is spelled in hexadecimal.
std::string with_spelled_default(std::string_view column) {
  const ItemTokens tokens(column, Dialect::mariadb);
  const bool binary = tokens.is(1, "binary") || tokens.is(1, "varbinary");
  const std::optional<std::size_t> keyword = binary ? tokens.find({"DEFAULT"}, 2) : std::nullopt;
  if (!keyword || tokens.at(*keyword + 1).kind != TokenKind::string) return std::string(column);
  const Token& value = tokens.at(*keyword + 1);
  const std::string bytes = bytes_of(value, column, {});
  if (is_ascii(bytes)) return std::string(column);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex = "x'";
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  Edits edits;
  edits.replace(value.begin, value.end, hex + "'");
  return edits.apply(column);
}

// The columns of the first parentheses at or after a token.
std::vector<std::string> columns_in(const ItemTokens& tokens, std::size_t from) {
  std::vector<std::string> names;
  while (from < tokens.size() && !tokens.is_symbol(from, '(')) ++from;
  if (from >= tokens.size()) return names;
  const std::size_t close = tokens.closing(from);
  for (std::size_t i = from + 1; i < close; ++i) {
    const bool starts = i == from + 1 ||
                        (tokens.is_symbol(i - 1, ',') && tokens.depth(i) == tokens.depth(from) + 1);
    if (starts && !tokens.is_symbol(i, '(')) names.push_back(ascii::lower(tokens.name(i)));
  }
  return names;
}

std::string auto_increment_column(const CreateTable& table) {
  for (const std::string& column : table.columns) {
    const ItemTokens tokens(column, kAny);
    if (tokens.find({"AUTO_INCREMENT"}, 1)) return ascii::lower(tokens.name(0));
  }
  return {};
}

bool is_plain_key(const ItemTokens& tokens) { return tokens.is(0, "KEY") || tokens.is(0, "INDEX"); }

std::string table_name_of(const CreateTable& table) {
  const Statement statement = classify(table.head + "a)", "", {});
  return statement.objects.empty() ? std::string()
                                   : ascii::lower(statement.objects.front().name.table);
}

// First columns that a key must stay for: those of foreign keys, on this side and, where the table
// is its own parent, on the other.
std::set<std::string> columns_needing_a_key(const CreateTable& table) {
  std::set<std::string> needed;
  const std::string own_name = table_name_of(table);
  for (const std::string& key : table.foreign_keys) {
    const ItemTokens tokens(key, kAny);
    const std::size_t references = tokens.find({"REFERENCES"}).value_or(tokens.size() - 1);
    for (std::string& name : columns_in(tokens, 0)) needed.insert(std::move(name));
    const bool qualified = tokens.is_symbol(references + 2, '.');
    const std::size_t parent = references + (qualified ? 3 : 1);
    if (parent >= tokens.size() || ascii::lower(tokens.name(parent)) != own_name) continue;
    for (std::string& name : columns_in(tokens, parent)) needed.insert(std::move(name));
  }
  return needed;
}

// Whether another key begins with the column, so that the counter of the table keeps one.
bool other_key_begins_with(const CreateTable& table, const std::string& column) {
  return std::any_of(table.keys.begin(), table.keys.end(), [&](const std::string& key) {
    const ItemTokens tokens(key, kAny);
    if (!tokens.is(0, "PRIMARY") && !tokens.is(0, "UNIQUE")) return false;
    const std::vector<std::string> names = columns_in(tokens, 0);
    return !names.empty() && names.front() == column;
  });
}

void append_items(std::string& text, const std::vector<std::string>& items, bool& first) {
  for (const std::string& item : items) {
    text += first ? "\n  " : ",\n  ";
    text += item;
    first = false;
  }
}

}  // namespace

Result<CreateTable> parse_create_table(std::string_view text) {
  text = ascii::trim(text);
  const Statement statement = classify(text, "", {});
  const bool table_kind = statement.kind == Kind::create_table ||
                          statement.kind == Kind::temporary_table ||
                          statement.kind == Kind::create_table_select;
  if (!table_kind) return Error{Errc::malformed, "not a table's definition: " + ascii::shown(text)};
  std::vector<std::string_view> items;
  const std::optional<Body> body = cut_items(text, items);
  if (!body)
    return Error{Errc::malformed, "a table's definition that does not end: " + ascii::shown(text)};

  CreateTable table;
  table.head = std::string(text.substr(0, body->open + 1));
  table.tail = std::string(text.substr(body->close));
  for (const std::string_view item : items) {
    if (item.empty())
      return Error{Errc::malformed,
                   "a table's definition with an empty item: " + ascii::shown(text)};
    const ItemTokens tokens(item, kAny);
    if (tokens.at(0).kind != TokenKind::word && tokens.at(0).kind != TokenKind::quoted_name) {
      return Error{Errc::malformed,
                   "a table's definition with an item that names nothing: " + ascii::shown(item)};
    }
    std::vector<std::string>& list = list_for(table, tokens);
    list.push_back(&list == &table.columns ? with_spelled_default(item) : std::string(item));
  }
  if (table.columns.empty()) {
    return Error{Errc::malformed, "a table's definition without columns: " + ascii::shown(text)};
  }
  std::set<std::string> names;
  for (const std::string& column : table.columns) {
    if (names.insert(ascii::lower(ItemTokens(column, kAny).name(0))).second) continue;
    return Error{Errc::malformed,
                 "a table's definition with a column twice: " + ascii::shown(column)};
  }
  return table;
}

std::string to_text(const CreateTable& table) {
  std::string text = table.head;
  bool first = true;
  for (const auto* items : {&table.columns, &table.keys, &table.foreign_keys, &table.checks}) {
    append_items(text, *items, first);
  }
  return text + "\n" + table.tail;
}

void set_name(CreateTable& table, const TableName& name) {
  const Statement statement = classify(table.head + "a)", "", {});
  if (statement.objects.empty()) return;
  const NameSpan& span = statement.objects.front();
  table.head.replace(span.begin, span.end - span.begin,
                     quoted(name.database) + "." + quoted(name.table));
}

void route_parents(CreateTable& table, std::string_view database,
                   const std::function<TableName(const TableName&)>& route) {
  for (std::string& key : table.foreign_keys) {
    const ItemTokens tokens(key, kAny);
    const std::optional<std::size_t> references = tokens.find({"REFERENCES"});
    if (!references || *references + 1 >= tokens.size()) continue;
    const std::size_t first = *references + 1;
    const bool qualified = tokens.is_symbol(first + 1, '.') && first + 2 < tokens.size();
    TableName parent{std::string(database), tokens.name(first)};
    if (qualified) parent = {tokens.name(first), tokens.name(first + 2)};
    const TableName to = route(parent);
    Edits edits;
    edits.replace(tokens.at(first).begin, tokens.at(first + (qualified ? 2 : 0)).end,
                  quoted(to.database) + "." + quoted(to.table));
    key = edits.apply(key);
  }
}

std::vector<std::string> take_late_keys(CreateTable& table) {
  const std::set<std::string> needed = columns_needing_a_key(table);
  std::string counter = auto_increment_column(table);
  if (!counter.empty() && other_key_begins_with(table, counter)) counter.clear();
  std::vector<std::string> late;
  std::vector<std::string> stay;
  for (std::string& key : table.keys) {
    const ItemTokens tokens(key, kAny);
    const std::vector<std::string> columns = columns_in(tokens, 0);
    const bool counts =
        !counter.empty() && std::find(columns.begin(), columns.end(), counter) != columns.end();
    const bool serves = !columns.empty() && needed.count(columns.front()) != 0;
    (is_plain_key(tokens) && !counts && !serves ? late : stay).push_back(std::move(key));
  }
  table.keys = std::move(stay);
  return late;
}

void pin_collations(CreateTable& table) {
  constexpr std::string_view kCharset = "utf8mb4";
  const std::string collation = default_collation(kCharset);
  for (std::string& column : table.columns) {
    const ItemTokens tokens(column, kAny);
    const std::optional<std::size_t> charset = tokens.find({"CHARACTER", "SET"}, 1);
    if (!charset || !tokens.is(*charset + 2, kCharset) || tokens.find({"COLLATE"}, 1)) continue;
    Edits edits;
    const std::size_t end = tokens.at(*charset + 2).end;
    edits.replace(end, end, " COLLATE " + collation);
    column = edits.apply(column);
  }
  const ItemTokens tokens(table.tail, kAny);
  const std::optional<std::size_t> charset = tokens.find({"CHARSET"});
  if (!charset || !tokens.is(*charset + 2, kCharset) || tokens.find({"COLLATE"})) return;
  Edits edits;
  const std::size_t end = tokens.at(*charset + 2).end;
  edits.replace(end, end, " COLLATE=" + collation);
  table.tail = edits.apply(table.tail);
}

}  // namespace wherry::sql
