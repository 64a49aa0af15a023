#include "sink/file/json_line.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>

#include "sink/file/json_value.h"

namespace wherry::sink {
namespace {

// The length of the UTF-8 sequence that begins here; 0: there is none.
std::size_t sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Too long a form, half of a surrogate pair, or beyond the last character.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
  if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 0;
  return size;
}

void append_time(std::uint64_t microseconds, std::string& out) {
  const std::chrono::sys_time<std::chrono::microseconds> time{
      std::chrono::microseconds(microseconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  out += fmt::format("\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z\"",
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

// Names are UTF-8 on both servers.
void append_name(std::string_view name, std::string& out) {
  if (!append_json_string(name, out)) out += "\"\"";
}

void append_head(std::string_view operation, const TableName& target,
                 const dispatch::Origin& origin, std::uint64_t number, std::string& out) {
  out += R"({"op":")";
  out += operation;
  out += R"(","db":)";
  append_name(target.database, out);
  out += R"(,"table":)";
  append_name(target.table, out);
  out += fmt::format(R"(,"cseq":{},"row":{},"gtid":)", origin.cseq, number);
  if (origin.gtid.empty()) {
    out += "null";
  } else {
    append_name(origin.gtid, out);
  }
  out += R"(,"ts":)";
  append_time(origin.commit_us, out);
}

Status append_image(const decode::TableMap& map, const std::vector<decode::Cell>& cells,
                    std::string& out) {
  std::string scratch;
  bool first = true;
  out += '{';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].present) continue;
    if (!std::exchange(first, false)) out += ',';
    append_name(map.names[i], out);
    out += ':';
    if (Status done = append_value(map, i, cells[i], scratch, out); !done.ok())
      return done.error().within(map.names[i]);
  }
  out += '}';
  return Unit{};
}

std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view key,
                                           std::size_t& at) {
  at = line.find(key, at);
  if (at == std::string_view::npos) return std::nullopt;
  at += key.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

bool append_json_string(std::string_view text, std::string& out) {
  const std::size_t before = out.size();
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const std::size_t size = sequence_at(text, i);
      if (size == 0) {
        out.resize(before);
        return false;
      }
      out += text.substr(i, size);
      i += size;
      continue;
    }
    ++i;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
  return true;
}

void append_base64(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (k < here ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= here ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
}

Status append_change(const dispatch::ChangeView& change, const TableName& target,
                     std::uint64_t number, std::string& out) {
  constexpr std::array kNames{"insert", "update", "delete"};
  append_head(kNames[static_cast<std::size_t>(change.kind)], target, change.origin, number, out);
  if (change.kind != decode::RowKind::insert) {
    out += R"(,"before":)";
    if (Status done = append_image(change.table.map, change.row.before, out); !done.ok())
      return done;
  }
  if (change.kind != decode::RowKind::erase) {
    out += R"(,"after":)";
    if (Status done = append_image(change.table.map, change.row.after, out); !done.ok())
      return done;
  }
  out += "}\n";
  return Unit{};
}

void append_statement(const dispatch::BlockEvent& event, const TableName& target,
                      std::uint64_t number, std::string& out) {
  append_head("ddl", target, event.origin, number, out);
  out += R"(,"kind":)";
  append_name(event.kind, out);
  out += R"(,"default_db":)";
  append_name(event.database, out);
  out += R"(,"ddl":)";
  if (!append_json_string(event.statement, out)) {
    out += R"({"base64":")";
    append_base64(event.statement, out);
    out += "\"}";
  }
  out += "}\n";
}

std::optional<LineMark> mark_of(std::string_view line) {
  if (!line.starts_with(R"({"op":")")) return std::nullopt;
  // Inside a JSON string the quotes of these keys would stand behind backslashes.
  std::size_t at = 0;
  const auto cseq = number_behind(line, R"(,"cseq":)", at);
  if (!cseq) return std::nullopt;
  const auto number = number_behind(line, R"(,"row":)", at);
  if (!number) return std::nullopt;
  return LineMark{*cseq, *number};
}

}  // namespace wherry::sink
