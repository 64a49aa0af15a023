// Which tables are meant: patterns of database and table as --include, --exclude and pattern files
// give them. Values; any thread may match.
//   pattern = ["!"] part ["." part]     a database alone means all its tables
//   part    = text with * (any text), ? (one character), \x (x itself), or `name` taken as it
//   stands
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"

namespace wherry {

// How names compare: as the server does, by lower_case_table_names (letters of ASCII are folded).
enum class NameCase { exact, ignored };

class Pattern {
 public:
  static Result<Pattern> parse(std::string_view text);

  bool matches(std::string_view database, std::string_view table, NameCase name_case) const;
  bool matches_database(std::string_view database, NameCase name_case) const;
  bool negated() const { return negated_; }
  bool all_tables() const;
  const std::string& text() const { return text_; }

 private:
  // One character of a part; what was escaped or quoted is never a wildcard.
  struct Glyph {
    enum class Kind { text, any_one, any_run };
    Kind kind = Kind::text;
    std::string bytes;
  };
  using Part = std::vector<Glyph>;

  static bool matches(const Part& part, std::string_view name, NameCase name_case);
  static bool read_part(std::string_view& rest, Part& part);

  std::string text_;
  Part database_;
  Part table_;
  bool negated_ = false;
};

// One pattern a line; blank lines and lines that begin with '#' are left out. An error names the
// line.
Result<std::vector<Pattern>> parse_pattern_lines(std::string_view text);

// What --include and --exclude select together. In each list the last pattern that matches decides;
// "!" turns its meaning round. No include pattern (or only negated ones): everything is included.
class Selection {
 public:
  Selection() = default;
  Selection(std::vector<Pattern> includes, std::vector<Pattern> excludes, NameCase name_case);

  // Of what is held, only what these patterns name, read as a list of includes.
  void narrow(std::vector<Pattern> within) { within_ = std::move(within); }

  bool holds(std::string_view database, std::string_view table) const;
  // Whether any table of the database could be held; once narrowed: whether all of its tables are
  // within, since what is done to a whole database would reach the others.
  bool touches(std::string_view database) const;

 private:
  std::vector<Pattern> includes_;
  std::vector<Pattern> excludes_;
  std::vector<Pattern> within_;
  NameCase name_case_ = NameCase::exact;
};

}  // namespace wherry
