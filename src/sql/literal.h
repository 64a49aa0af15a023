// From canonical text (decode/value.h) to what a target reads back to the same value: SQL literals
// and fields of LOAD DATA. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/schema.h"

namespace wherry::sql {

// An SQL literal for a value of the column, byte-exact whatever the session's character set. In a
// comparison it takes the column's collation, so that an index serves.
void append_literal(std::string& out, const Column& column, std::string_view canonical);

// The same where it must match exactly, null-safe and whatever the collation: "expr <=> literal".
void append_exact_match(std::string& out, const Column& column, std::string_view canonical);
void append_null_match(std::string& out, const Column& column);

// A field of LOAD DATA with tab, newline and backslash escaped; \N is NULL.
void append_field(std::string& out, std::string_view canonical);
// The same for as much of it as fits into the room; adds to filled what it wrote, and returns how
// much of the value it took.
std::size_t escape_field(std::string_view canonical, std::span<char> room, std::size_t& filled);
inline void append_null_field(std::string& out) { out += "\\N"; }

// The next field of such a line, unescaped into buffer; the line's rest goes on after the tab.
// Returns false for NULL.
bool take_field(std::string_view& line, std::string& buffer);
// Goes to the field behind it, without a copy.
void skip_field(std::string_view& line);

}  // namespace wherry::sql
