#include "support/pattern.h"

#include <algorithm>
#include <utility>

#include "support/ascii.h"

namespace wherry {
namespace {

// Bytes of the UTF-8 character that begins here; broken bytes count one by one.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  if (first >= 0xf0) {
    length = 4;
  } else if (first >= 0xe0) {
    length = 3;
  } else if (first >= 0xc0) {
    length = 2;
  }
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  }
  return length;
}

Error usage(std::string_view text, std::string_view why) {
  return {Errc::usage, "the pattern \"" + ascii::shown(text) + "\" " + std::string(why)};
}

// The last pattern of the list that matches decides; none: the default.
bool decide(const std::vector<Pattern>& list, bool otherwise, std::string_view database,
            std::string_view table, NameCase name_case) {
  for (auto pattern = list.rbegin(); pattern != list.rend(); ++pattern) {
    if (pattern->matches(database, table, name_case)) return !pattern->negated();
  }
  return otherwise;
}

bool only_negated(const std::vector<Pattern>& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const Pattern& pattern) { return pattern.negated(); });
}

}  // namespace

bool Pattern::read_part(std::string_view& rest, Part& part) {
  const bool quoted = !rest.empty() && rest.front() == '`';
  if (quoted) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::size_t length = character_length(rest);
    std::string_view character = rest.substr(0, length);
    if (!quoted && character == ".") return !part.empty();
    rest.remove_prefix(length);
    if (quoted && character == "`") {
      if (rest.empty() || rest.front() != '`')
        return !part.empty() && (rest.empty() || rest.front() == '.');
      rest.remove_prefix(1);
    } else if (!quoted && character == "\\") {
      if (rest.empty()) return false;
      const std::size_t escaped = character_length(rest);
      character = rest.substr(0, escaped);
      rest.remove_prefix(escaped);
    } else if (!quoted && character == "*") {
      if (part.empty() || part.back().kind != Glyph::Kind::any_run)
        part.push_back({Glyph::Kind::any_run, {}});
      continue;
    } else if (!quoted && character == "?") {
      part.push_back({Glyph::Kind::any_one, {}});
      continue;
    }
    part.push_back({Glyph::Kind::text, std::string(character)});
  }
  return !quoted && !part.empty();
}

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern pattern;
  std::string_view rest = ascii::trim(text);
  pattern.text_ = std::string(rest);
  if (!rest.empty() && rest.front() == '!') {
    pattern.negated_ = true;
    rest = ascii::trim(rest.substr(1));
  }
  if (rest.empty()) return usage(text, "is empty");
  if (!read_part(rest, pattern.database_))
    return usage(text, "names no database, or a quote is not closed");
  if (rest.empty()) {
    pattern.table_.push_back({Glyph::Kind::any_run, {}});
    return pattern;
  }
  rest.remove_prefix(1);
  if (!read_part(rest, pattern.table_))
    return usage(text, "names no table after the dot, or a quote is not closed");
  if (!rest.empty()) {
    return usage(
        text, "has more than database.table; write a dot inside a name as \\. or quote the name");
  }
  return pattern;
}

// Goes back only to the last run of any text, so the work is bounded by the product of both
// lengths.
bool Pattern::matches(const Part& part, std::string_view name, NameCase name_case) {
  std::size_t glyph = 0;
  std::size_t at = 0;
  std::size_t run = part.size();  // the last run seen, and the place in the name it reaches to
  std::size_t run_end = 0;
  while (at < name.size()) {
    const std::size_t length = character_length(name.substr(at));
    const std::string_view character = name.substr(at, length);
    const Glyph* const current = glyph < part.size() ? &part[glyph] : nullptr;
    if (current != nullptr && current->kind == Glyph::Kind::any_run) {
      run = glyph++;
      run_end = at;
      continue;
    }
    const bool equal = current != nullptr &&
                       (current->kind == Glyph::Kind::any_one || current->bytes == character ||
                        (name_case == NameCase::ignored && ascii::same(current->bytes, character)));
    if (equal) {
      ++glyph;
      at += length;
      continue;
    }
    if (run == part.size()) return false;
    run_end += character_length(name.substr(run_end));
    at = run_end;
    glyph = run + 1;
  }
  while (glyph < part.size() && part[glyph].kind == Glyph::Kind::any_run) ++glyph;
  return glyph == part.size();
}

bool Pattern::matches(std::string_view database, std::string_view table, NameCase name_case) const {
  return matches(database_, database, name_case) && matches(table_, table, name_case);
}

bool Pattern::matches_database(std::string_view database, NameCase name_case) const {
  return matches(database_, database, name_case);
}

bool Pattern::all_tables() const {
  return table_.size() == 1 && table_.front().kind == Glyph::Kind::any_run;
}

Result<std::vector<Pattern>> parse_pattern_lines(std::string_view text) {
  std::vector<Pattern> patterns;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = ascii::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    Result<Pattern> pattern = Pattern::parse(line);
    if (!pattern.ok()) return pattern.error().within("line " + std::to_string(number));
    patterns.push_back(std::move(pattern).value());
  }
  return patterns;
}

Selection::Selection(std::vector<Pattern> includes, std::vector<Pattern> excludes,
                     NameCase name_case)
    : includes_(std::move(includes)), excludes_(std::move(excludes)), name_case_(name_case) {}

bool Selection::holds(std::string_view database, std::string_view table) const {
  return decide(includes_, only_negated(includes_), database, table, name_case_) &&
         !decide(excludes_, false, database, table, name_case_) &&
         decide(within_, only_negated(within_), database, table, name_case_);
}

bool Selection::touches(std::string_view database) const {
  const auto open = [&](const Pattern& pattern) {
    return pattern.matches_database(database, name_case_);
  };
  const auto whole = [&](const Pattern& pattern) { return open(pattern) && pattern.all_tables(); };
  bool included = only_negated(includes_);
  for (const Pattern& pattern : includes_) {
    if (!pattern.negated() && open(pattern)) included = true;
    if (pattern.negated() && whole(pattern)) included = false;
  }
  bool excluded = false;
  for (const Pattern& pattern : excludes_) {
    if (!pattern.negated() && whole(pattern)) excluded = true;
    if (pattern.negated() && open(pattern)) excluded = false;
  }
  bool whole_within = only_negated(within_);
  for (const Pattern& pattern : within_) {
    if (pattern.negated() && open(pattern)) whole_within = false;
    if (!pattern.negated() && whole(pattern)) whole_within = true;
  }
  return included && !excluded && whole_within;
}

}  // namespace wherry
