// From MariaDB to MySQL.
#include <algorithm>
#include <array>
#include <optional>

#include "sql/definition_text.h"
#include "sql/translate.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

constexpr Dialect kFrom = Dialect::mariadb;

constexpr std::array<std::string_view, 4> kTypes = {"uuid", "inet4", "inet6", "xmltype"};

// Options that only MariaDB knows and that say nothing about the rows.
constexpr std::array<std::string_view, 12> kOptions = {
    "TRANSACTIONAL", "PAGE_CHECKSUM",     "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL",
    "ENCRYPTED",     "ENCRYPTION_KEY_ID", "IETF_QUOTES",     "TABLE_CHECKSUM",
    "REF_SYSTEM_ID", "WITH_PARSER",       "FETCH_ROWS",      "ATOMIC_WRITES"};

// Types whose default must be an expression on MySQL.
constexpr std::array<std::string_view, 18> kExpressionOnly = {"tinytext",
                                                              "text",
                                                              "mediumtext",
                                                              "longtext",
                                                              "tinyblob",
                                                              "blob",
                                                              "mediumblob",
                                                              "longblob",
                                                              "json",
                                                              "geometry",
                                                              "point",
                                                              "linestring",
                                                              "polygon",
                                                              "multipoint",
                                                              "multilinestring",
                                                              "multipolygon",
                                                              "geometrycollection",
                                                              "geomcollection"};

template <std::size_t N>
bool is_one_of(const ItemTokens& tokens, std::size_t i,
               const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return tokens.is(i, word) ||
           (tokens.at(i).kind == TokenKind::quoted_name && ascii::same(tokens.name(i), word));
  });
}

bool is_now(const ItemTokens& tokens, std::size_t i) {
  return tokens.is(i, "current_timestamp") || tokens.is(i, "now") ||
         tokens.is(i, "localtimestamp") || tokens.is(i, "localtime");
}

// The last token of a default that begins at `first`: a literal, a name or a call.
std::size_t end_of_default(const ItemTokens& tokens, std::size_t first) {
  std::size_t last = first;
  if (tokens.is_symbol(last, '(')) return tokens.closing(last);
  if (tokens.is_symbol(last, '-') || tokens.is_symbol(last, '+')) ++last;
  const bool introducer = tokens.at(last).kind == TokenKind::word &&
                          tokens.text(last).front() == '_' && last + 1 < tokens.size() &&
                          (tokens.at(last + 1).kind == TokenKind::string ||
                           tokens.at(last + 1).kind == TokenKind::bits);
  if (introducer) ++last;
  while (tokens.is_symbol(last + 1, '.') && last + 2 < tokens.size()) last += 2;
  if (tokens.is_symbol(last + 1, '(')) last = tokens.closing(last + 1);
  return std::min(last, tokens.size() - 1);
}

}  // namespace

// MariaDB prints calls as they are and lets text columns have a literal; MySQL wants parentheses
// around both.
void Translation::mysql_default(std::string& column) {
  const ItemTokens tokens(column, kFrom);
  const std::optional<std::size_t> keyword = tokens.find({"DEFAULT"}, 2);
  if (!keyword || *keyword + 2 >= tokens.size()) return;
  const std::size_t first = *keyword + 1;
  if (tokens.is(first, "NULL") || tokens.is_symbol(first, '(')) return;
  const std::size_t last = end_of_default(tokens, first);
  const bool call = tokens.is_symbol(last, ')') && !is_now(tokens, first);
  const bool literal_refused = is_one_of(tokens, 1, kExpressionOnly);
  if (!call && !literal_refused) return;
  Edits edits;
  edits.replace(tokens.at(first).begin, tokens.at(first).begin, "(");
  edits.replace(tokens.at(last).end, tokens.at(last).end, ")");
  column = edits.apply(column);
}

void Translation::mysql_column(std::string& column) {
  column = replace_comments(column, [](std::string_view content) -> std::optional<std::string> {
    if (ascii::starts_with(content, "COMPRESSED")) return std::string();
    return std::nullopt;
  });
  const ItemTokens tokens(column, kFrom);
  const std::string label = "column " + quoted(tokens.name(0));
  if (is_one_of(tokens, 1, kTypes)) {
    refuse(label, "the type " + std::string(tokens.text(1)) + " does not exist on MySQL");
  }
  if (tokens.find({"AS", "ROW"}, 2) || tokens.find({"WITHOUT", "SYSTEM"}, 2) ||
      tokens.find({"WITH", "SYSTEM"}, 2)) {
    refuse(label, "MySQL has no system versioning");
  }
  for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
    const bool next_value =
        tokens.is(i, "nextval") || (tokens.is(i, "NEXT") && tokens.is(i + 1, "VALUE"));
    if (next_value) refuse(label, "its default reads a sequence, which MySQL does not have");
  }
  Edits edits;
  for (std::size_t i = 2; i + 2 < tokens.size(); ++i) {
    if (tokens.depth(i) == 0 && is_one_of(tokens, i, kOptions) && tokens.is_symbol(i + 1, '='))
      edits.erase(tokens, i, i + 2);
  }
  column = edits.apply(column);
  mysql_default(column);
}

void Translation::mysql_key(std::string& key) {
  const ItemTokens tokens(key, kFrom);
  const std::string label = "key " + ascii::shown(key);
  if (tokens.is(0, "VECTOR")) refuse(label, "MySQL has no such index");
  if (tokens.is(0, "UNIQUE") && tokens.find({"USING", "HASH"})) {
    refuse(label, "MySQL has no unique keys over whole long texts");
  }
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens.is(i, "WITHOUT") && tokens.is(i + 1, "OVERLAPS"))
      refuse(label, "MySQL has no keys over periods");
  }
  const std::optional<std::size_t> ignored = tokens.find({"IGNORED"});
  const std::optional<std::size_t> not_ignored = tokens.find({"NOT", "IGNORED"});
  Edits edits;
  if (not_ignored) edits.erase(tokens, *not_ignored, *not_ignored + 1);
  if (ignored && !not_ignored)
    edits.replace(tokens.at(*ignored).begin, tokens.at(*ignored).end, "INVISIBLE");
  key = edits.apply(key);
}

void Translation::mysql_tail(std::string& tail) {
  const ItemTokens tokens(tail, kFrom);
  if (tokens.find({"SYSTEM", "VERSIONING"}))
    refuse("table options", "MySQL has no system versioning");
  if (tokens.find({"PARTITION", "BY", "SYSTEM_TIME"}))
    refuse("partitions", "MySQL has no system versioning");
  Edits edits;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens.is_symbol(i + 1, '=')) continue;
    const Token& value = tokens.at(i + 2);
    if (tokens.is(i, "SEQUENCE")) refuse("table options", "MySQL has no sequences");
    // Aria is MariaDB's own successor of MyISAM; what MySQL has for rows that must last is InnoDB.
    if (tokens.is(i, "ENGINE") && tokens.is(i + 2, "Aria"))
      edits.replace(value.begin, value.end, "InnoDB");
    const bool page_format = tokens.is(i, "ROW_FORMAT") && tokens.is(i + 2, "PAGE");
    if (tokens.depth(i) == 0 && (page_format || is_one_of(tokens, i, kOptions)))
      edits.erase(tokens, i, i + 2);
  }
  tail = edits.apply(tail);
}

void Translation::mariadb_to_mysql(CreateTable& table) {
  for (std::string& column : table.columns) mysql_column(column);
  for (std::string& key : table.keys) mysql_key(key);
  for (const std::string& check : table.checks) {
    if (ItemTokens(check, kFrom).is(0, "PERIOD"))
      refuse(ascii::shown(check), "MySQL has no periods");
  }
  mysql_tail(table.tail);
}

}  // namespace wherry::sql
