// Every column type as real servers log it, compared with what SELECT said about the same rows. The
// files come from tests/data/decode/record.py.

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <memory>
#include <sstream>

#include "decode/hex_for_tests.h"
#include "decode/rows.h"
#include "decode/value.h"

namespace wherry::decode {
namespace {

struct Row {
  bool after = false;
  // Each "N", "-" for a column that the image leaves out, or "=" and hexadecimal digits.
  std::vector<std::string> cells;
};

struct Capture {
  std::string name;
  std::vector<std::byte> description;
  std::vector<std::string> kinds;
  std::vector<std::vector<std::byte>> events;
  std::vector<Row> rows;
};

std::vector<Capture> read_captures(const std::string& file) {
  std::vector<Capture> captures;
  std::ifstream lines(std::string(WHERRY_CAPTURES) + "/" + file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, word;
    words >> kind;
    std::vector<std::string> rest;
    while (words >> word) rest.push_back(word);
    if (kind == "case")
      captures.push_back({rest.at(0), {}, {}, {}, {}});
    else if (kind == "description")
      captures.back().description = from_hex(rest.at(0));
    else if (kind == "kinds")
      captures.back().kinds = rest;
    else if (kind == "event")
      captures.back().events.push_back(from_hex(rest.at(0)));
    else
      captures.back().rows.push_back({kind == "after", rest});
  }
  return captures;
}

WireFlavor flavor_of(const std::string& kind) {
  if (kind == "uuid") return WireFlavor::uuid;
  if (kind == "inet4") return WireFlavor::inet4;
  if (kind == "inet6") return WireFlavor::inet6;
  return WireFlavor::none;
}

// Columns of the old temporal types bear their fraction digits at the end of their names.
void set_old_fraction(ColumnShape& shape, const std::string& name) {
  const bool old = shape.type == WireType::time || shape.type == WireType::datetime ||
                   shape.type == WireType::timestamp;
  if (old && std::isdigit(name.back())) shape.meta = static_cast<std::uint16_t>(name.back() - '0');
}

// Reads the events of one capture as a stream would, and keeps what failed and which rows came out.
class CaptureReader {
 public:
  explicit CaptureReader(const Capture& capture) : capture_(capture) {
    auto format = decode_format_description(capture.description);
    if (format.ok())
      format_ = format.value();
    else
      errors_.push_back(format.error().what);
  }

  void feed(Bytes event) { feed(event, format_); }
  const std::vector<std::string>& errors() const { return errors_; }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  void feed(Bytes event, const FormatDescription& format) {
    const auto header = decode_header(event);
    if (!header.ok()) return fail(header.error());
    const auto body = event_body(event, format, true);
    if (!body.ok()) return fail(body.error());
    switch (role_of(header.value().type, header.value().flags)) {
      case EventRole::payload:
        return feed_payload(body.value(), format);
      case EventRole::table_map:
        return feed_table_map(body.value(), format);
      case EventRole::rows:
        return feed_rows(header.value(), body.value(), format);
      default:
        return;
    }
  }

  void feed_payload(Bytes body, FormatDescription format) {
    const auto payload = decode_transaction_payload(body, 1 << 20);
    if (!payload.ok()) return fail(payload.error());
    format.checksummed = false;
    for (const Bytes event : payload.value().events) feed(event, format);
  }

  void feed_table_map(Bytes body, const FormatDescription& format) {
    auto map = decode_table_map(body, format);
    if (!map.ok()) return fail(map.error());
    map_ = std::move(map).value();
    if (map_.columns.size() != capture_.kinds.size()) return;
    for (std::size_t i = 0; i < map_.columns.size(); ++i) {
      map_.columns[i].flavor = flavor_of(capture_.kinds[i]);
      set_old_fraction(map_.columns[i], map_.names[i]);
    }
  }

  void feed_rows(const EventHeader& header, Bytes body, const FormatDescription& format) {
    auto reader = RowsReader::open(header, body, map_, format);
    if (!reader.ok()) return fail(reader.error());
    RowView view;
    while (true) {
      const auto more = reader.value().next(view);
      if (!more.ok()) return fail(more.error());
      if (!more.value()) return;
      if (reader.value().kind() != RowKind::insert) take(view.before, false);
      if (reader.value().kind() != RowKind::erase) take(view.after, true);
    }
  }

  void take(const std::vector<Cell>& cells, bool after) {
    Row row{after, {}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].present) {
        row.cells.emplace_back("-");
      } else if (cells[i].null) {
        row.cells.emplace_back("N");
      } else {
        std::string text;
        const Status done = append_text(map_.columns[i], cells[i], text);
        if (!done.ok())
          fail(Error{done.error().code, done.error().what + " row " + std::to_string(rows_.size()) +
                                            " column " + std::to_string(i)});
        row.cells.push_back("=" + to_hex(as_bytes(text)));
      }
    }
    rows_.push_back(std::move(row));
  }

  void fail(const Error& error) { errors_.push_back(error.what); }

  const Capture& capture_;
  FormatDescription format_;
  TableMap map_;
  std::vector<std::string> errors_;
  std::vector<Row> rows_;
};

std::string shown(const std::string& cell) {
  if (cell.empty() || cell[0] != '=') return cell;
  std::string text;
  for (const std::byte byte : from_hex(std::string_view(cell).substr(1)))
    text += static_cast<char>(byte);
  return cell.substr(0, 100) + " " + testing::PrintToString(text.substr(0, 300));
}

class CapturesTest : public testing::TestWithParam<const char*> {};

TEST_P(CapturesTest, RowsAreWhatSelectSaid) {
  const std::vector<Capture> captures = read_captures(GetParam());
  ASSERT_FALSE(captures.empty());
  for (const Capture& capture : captures) {
    SCOPED_TRACE(capture.name);
    CaptureReader reader(capture);
    for (const auto& event : capture.events) reader.feed(event);
    EXPECT_EQ(reader.errors(), std::vector<std::string>{});
    ASSERT_FALSE(capture.rows.empty());
    EXPECT_EQ(reader.rows().size(), capture.rows.size());
    for (std::size_t i = 0; i < std::min(reader.rows().size(), capture.rows.size()); ++i) {
      const Row& found = reader.rows()[i];
      const Row& wanted = capture.rows[i];
      EXPECT_EQ(found.after, wanted.after) << "row " << i;
      ASSERT_EQ(found.cells.size(), wanted.cells.size()) << "row " << i;
      for (std::size_t k = 0; k < wanted.cells.size(); ++k) {
        EXPECT_EQ(shown(found.cells[k]), shown(wanted.cells[k]))
            << "row " << i << " column " << k << " " << capture.kinds[k];
      }
    }
  }
}

// The bytes alone, so that a sanitizer sees the first one behind them.
std::unique_ptr<std::byte[]> exact_copy(Bytes bytes) {
  auto copy = std::make_unique<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return copy;
}

// Long events are cut at some places only, so that the test takes no more than moments.
std::size_t step_of(std::size_t size) { return size < 1500 ? 1 : size / 500; }

// How many prefixes of a table map decode. The map may end behind each optional field.
std::size_t whole_prefixes(Bytes body, const FormatDescription& format) {
  std::size_t whole = 0;
  for (std::size_t size = 0; size < body.size(); size += step_of(body.size())) {
    const auto copy = exact_copy(body.first(size));
    if (decode_table_map({copy.get(), size}, format).ok()) ++whole;
  }
  return whole;
}

// Rows that come out, and whether the event ended well.
std::pair<std::size_t, bool> count_rows(const EventHeader& header, Bytes body, const TableMap& map,
                                        const FormatDescription& format) {
  auto reader = RowsReader::open(header, body, map, format);
  if (!reader.ok()) return {0, false};
  RowView view;
  std::string text;
  for (std::size_t rows = 0;; ++rows) {
    const auto more = reader.value().next(view);
    if (!more.ok()) return {rows, false};
    if (!more.value()) return {rows, true};
    for (std::size_t i = 0; i < view.after.size(); ++i) {
      const Cell& cell = view.after[i];
      if (cell.present && !cell.null) (void)append_text(map.columns[i], cell, text);
    }
    text.clear();
  }
}

TEST_P(CapturesTest, EveryPrefixFailsCleanly) {
  for (const Capture& capture : read_captures(GetParam())) {
    SCOPED_TRACE(capture.name);
    const auto format = decode_format_description(capture.description);
    ASSERT_TRUE(format.ok());
    TableMap map;
    for (const auto& event : capture.events) {
      const auto header = decode_header(event);
      ASSERT_TRUE(header.ok());
      const Bytes body = event_body(event, format.value(), true).value();
      if (header.value().type == EventType::table_map) {
        constexpr std::size_t kOptionalFields = 12;
        EXPECT_LE(whole_prefixes(body, format.value()), kOptionalFields);
        map = decode_table_map(body, format.value()).value();
        for (std::size_t i = 0; i < map.columns.size(); ++i) {
          set_old_fraction(map.columns[i], map.names[i]);
        }
      } else if (role_of(header.value().type, 0) == EventRole::rows) {
        const auto all = count_rows(header.value(), body, map, format.value());
        EXPECT_TRUE(all.second);
        for (std::size_t size = 0; size < body.size(); size += step_of(body.size())) {
          const auto copy = exact_copy(body.first(size));
          const auto some = count_rows(header.value(), {copy.get(), size}, map, format.value());
          EXPECT_TRUE(!some.second || some.first < all.first) << size;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, CapturesTest,
                         testing::Values("mariadb-10.11.txt", "mysql-9.7.txt"));

}  // namespace
}  // namespace wherry::decode
