#include "sql/normal_form.h"

#include <algorithm>
#include <optional>

#include "sql/collations.h"
#include "sql/definition_text.h"
#include "support/ascii.h"

namespace wherry::sql {
namespace {

using Words = std::vector<std::string>;

// In one quoting, so that two different texts are never spelled alike.
std::string literal(std::string_view bytes) {
  std::string out = "'";
  for (const char c : bytes) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

// Version comments opened; keywords in lower case, names in backticks, texts in one quoting.
Words words_of(std::string_view text) {
  const std::string open = replace_comments(text, [](std::string_view content) {
    return std::optional<std::string>(std::string(content));
  });
  const ItemTokens tokens(open, Dialect::mysql);
  Words words;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Token& token = tokens.at(i);
    switch (token.kind) {
      case TokenKind::word:
        // An introducer says what the text after it is in anyway.
        if (tokens.text(i).front() == '_' && tokens.at(i + 1).kind == TokenKind::string) continue;
        words.push_back(ascii::lower(tokens.text(i)));
        break;
      case TokenKind::quoted_name:
        words.push_back(quoted(ascii::lower(tokens.name(i))));
        break;
      case TokenKind::bits:
        words.push_back(literal(bytes_of(token, open, {})));
        break;
      case TokenKind::string:
        words.push_back(literal(bytes_of(token, open, {})));
        break;
      default:
        words.emplace_back(tokens.text(i));
        break;
    }
  }
  return words;
}

std::size_t closing(const Words& words, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    if (words[i] == "(") ++depth;
    if (words[i] == ")" && --depth == 0) return i;
  }
  return words.size() - 1;
}

void erase(Words& words, std::size_t first, std::size_t count) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size()));
  const auto end =
      words.begin() + static_cast<std::ptrdiff_t>(std::min(first + count, words.size()));
  words.erase(begin, end);
}

bool at(const Words& words, std::size_t i, std::initializer_list<std::string_view> expected) {
  for (const std::string_view word : expected) {
    if (i >= words.size() || words[i++] != word) return false;
  }
  return true;
}

bool remove(Words& words, std::initializer_list<std::string_view> run) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!at(words, i, run)) continue;
    erase(words, i, run.size());
    return true;
  }
  return false;
}

// "((x))" is "(x)". One pass, so that a deep expression costs no more than a long one.
void drop_double_parentheses(Words& words) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> close_of(words.size(), kNone);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "(") open.push_back(i);
    if (words[i] != ")" || open.empty()) continue;
    close_of[open.back()] = i;
    open.pop_back();
  }
  std::vector<bool> drop(words.size(), false);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool both = close_of[i] != kNone && close_of[i + 1] != kNone;
    if (both && close_of[i] == close_of[i + 1] + 1) drop[i] = drop[close_of[i]] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!drop[i]) std::swap(words[kept++], words[i]);
  }
  words.resize(kept);
}

std::string joined(const Words& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

bool is_integer(const std::string& type) {
  for (const std::string_view name : {"tinyint", "smallint", "mediumint", "int", "bigint"}) {
    if (type == name) return true;
  }
  return false;
}

// The display width says nothing about values, unless zeros fill it.
void drop_display_width(Words& words) {
  const bool zerofill = std::find(words.begin(), words.end(), "zerofill") != words.end();
  const bool has_width = words.size() >= 4 && words[1] == "(" && words[3] == ")";
  if (has_width && ((is_integer(words[0]) && !zerofill) || words[0] == "year")) erase(words, 1, 3);
}

void spell_default(Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool now =
        words[i] == "current_timestamp" || words[i] == "now" || words[i] == "localtimestamp";
    if (now) words[i] = "current_timestamp";
    if (now && at(words, i + 1, {"(", ")"})) erase(words, i + 1, 2);
  }
  const auto found = std::find(words.begin(), words.end(), "default");
  if (found == words.end()) return;
  const std::size_t value = static_cast<std::size_t>(found - words.begin()) + 1;
  if (at(words, value, {"("})) {
    const std::size_t close = closing(words, value);
    erase(words, close, 1);
    erase(words, value, 1);
  }
  if (value >= words.size()) return;
  if (words[value] == "-" && value + 1 < words.size()) {
    erase(words, value, 1);
    words[value].insert(0, "-");
  }
  // Numbers are printed as text by one server and as they are by the other.
  std::string& text = words[value];
  const bool quoted_text = text.size() > 2 && text.front() == '\'' && text.back() == '\'';
  const std::string_view inner =
      quoted_text ? std::string_view(text).substr(1, text.size() - 2) : std::string_view();
  const bool number = !inner.empty() && std::all_of(inner.begin(), inner.end(), [](char c) {
    return ascii::digit(c) || c == '.' || c == '-' || c == 'e';
  });
  if (number) text = std::string(inner);
}

// The collation in force: the column's own, that of its character set, or nothing where it is the
// table's.
void spell_collation(Words& words, const std::string& table_collation) {
  std::string collation;
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (!at(words, i, {"character", "set"})) continue;
    collation = default_collation(words[i + 2]);
    erase(words, i, 3);
    break;
  }
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] != "collate") continue;
    collation = collation_key(words[i + 1]);
    erase(words, i, 2);
    break;
  }
  if (!collation.empty() && collation != table_collation) words.push_back("collate " + collation);
}

// A check written at a column is the same as one of the table.
std::optional<std::string> take_check(Words& words) {
  const auto found = std::find(words.begin(), words.end(), "check");
  if (found == words.end()) return std::nullopt;
  const std::size_t first = static_cast<std::size_t>(found - words.begin());
  if (!at(words, first + 1, {"("})) return std::nullopt;
  const std::size_t close = closing(words, first + 1);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(close + 1);
  std::string check = joined(Words(begin, end));
  words.erase(begin, end);
  return check;
}

NormalColumn normal_column(const std::string& text, NormalTable& table) {
  Words words = words_of(text);
  NormalColumn column;
  const ItemTokens tokens(text, Dialect::mysql);
  const std::string name = tokens.name(0);
  column.name = ascii::lower(name);
  column.text = text;
  erase(words, 0, 1);
  drop_double_parentheses(words);
  if (const std::optional<std::string> check = take_check(words))
    table.checks.emplace(*check, text);
  drop_display_width(words);
  spell_default(words);
  spell_collation(words, table.options["collate"]);
  remove(words, {"default", "null"});
  if (remove(words, {"generated", "always"}) ||
      std::find(words.begin(), words.end(), "as") != words.end())
    remove(words, {"not", "null"});
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "null" && words[i - 1] != "not" && words[i - 1] != "default" &&
        words[i - 1] != "set") {
      erase(words, i, 1);
      break;
    }
  }
  std::replace(words.begin(), words.end(), std::string("persistent"), std::string("stored"));
  remove(words, {"compressed"});
  remove(words, {"storage", "disk"});
  for (const std::string_view format : {"fixed", "dynamic", "default"})
    remove(words, {"column_format", format});
  if (remove(words, {"invisible"})) words.emplace_back("invisible");
  column.form = joined(words);
  return column;
}

std::string normal_key(const std::string& text) {
  Words words = words_of(text);
  if (!words.empty() && words[0] == "index") words[0] = "key";
  remove(words, {"using", "btree"});
  std::replace(words.begin(), words.end(), std::string("ignored"), std::string("invisible"));
  drop_double_parentheses(words);
  return joined(words);
}

// Without the constraint's own name, which holds the table's where the server made it up.
std::string normal_constraint(const std::string& text) {
  Words words = words_of(text);
  if (at(words, 0, {"constraint"}))
    erase(words, 0, words.size() > 1 && words[1].front() == '`' ? 2 : 1);
  const auto references = std::find(words.begin(), words.end(), "references");
  if (references != words.end()) {
    const std::size_t parent = static_cast<std::size_t>(references - words.begin()) + 1;
    if (at(words, parent + 1, {"."})) erase(words, parent, 2);
  }
  for (const std::string_view event : {"delete", "update"}) {
    remove(words, {"on", event, "restrict"});
    remove(words, {"on", event, "no", "action"});
  }
  drop_double_parentheses(words);
  return joined(words);
}

// Options are name=value; partitions are one option, without the engine that each repeats.
std::map<std::string, std::string> normal_options(const std::string& tail) {
  Words words = words_of(tail);
  erase(words, 0, 1);
  std::map<std::string, std::string> options;
  const auto partition = std::find(words.begin(), words.end(), "partition");
  Words partitions(partition, words.end());
  words.erase(partition, words.end());
  while (true) {
    const auto engine = std::find(partitions.begin(), partitions.end(), "engine");
    if (engine == partitions.end()) break;
    erase(partitions, static_cast<std::size_t>(engine - partitions.begin()), 3);
  }
  for (std::string& word : partitions) {
    if (word.size() > 2 && word.front() == '`') word = word.substr(1, word.size() - 2);
  }
  if (!partitions.empty()) options["partitions"] = joined(partitions);
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i + 1] != "=") continue;
    std::string name = words[i];
    if (name.front() == '`') name = name.substr(1, name.size() - 2);
    if (name != "auto_increment") options[name] = words[i + 2];
  }
  if (options.count("collate") != 0) {
    options["collate"] = collation_key(options["collate"]);
  } else if (options.count("charset") != 0) {
    options["collate"] = default_collation(options["charset"]);
  }
  options.erase("charset");
  return options;
}

// MariaDB's JSON is a text that is checked; MySQL's needs no check.
void spell_json(NormalTable& table) {
  for (NormalColumn& column : table.columns) {
    const auto check = table.checks.find("check ( json_valid ( " + quoted(column.name) + " ) )");
    if (check == table.checks.end() || !ascii::starts_with(column.form, "longtext")) continue;
    table.checks.erase(check);
    constexpr std::string_view kCollation = " collate utf8mb4_bin";
    std::string rest = column.form.substr(std::string_view("longtext").size());
    const std::size_t collation = rest.find(kCollation);
    if (collation != std::string::npos) rest.erase(collation, kCollation.size());
    column.form = "json" + rest;
  }
}

}  // namespace

NormalTable normal_form(const CreateTable& table) {
  NormalTable normal;
  normal.options = normal_options(table.tail);
  for (const std::string& key : table.keys) normal.keys.emplace(normal_key(key), key);
  for (const std::string& key : table.foreign_keys)
    normal.foreign_keys.emplace(normal_constraint(key), key);
  for (const std::string& check : table.checks)
    normal.checks.emplace(normal_constraint(check), check);
  for (const std::string& column : table.columns)
    normal.columns.push_back(normal_column(column, normal));
  spell_json(normal);
  return normal;
}

}  // namespace wherry::sql
