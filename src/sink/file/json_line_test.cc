// Lines are JSON, and their values are those that SELECT showed for the same rows: every column
// type as real servers log it. The files come from tests/data/decode/record.py.

#include "sink/file/json_line.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sink/file/json_value.h"
#include "sink/file/rows_for_tests.h"

namespace wherry::sink {
namespace {

std::string from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  return bytes;
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have & 0xFF);
  }
  return out;
}

struct Capture {
  std::string name;
  decode::FormatDescription format;
  std::vector<std::string> kinds;
  std::vector<std::string> events;
  std::vector<std::pair<bool, std::vector<std::string>>> rows;  // whether after, cells
};

std::vector<Capture> read_captures(const std::string& file) {
  std::vector<Capture> captures;
  std::ifstream lines(std::string(WHERRY_CAPTURES) + "/" + file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    std::vector<std::string> rest{std::istream_iterator<std::string>(words), {}};
    if (kind == "case")
      captures.push_back({rest.at(0), {}, {}, {}, {}});
    else if (kind == "description")
      captures.back().format =
          decode::decode_format_description(as_bytes(from_hex(rest.at(0)))).value();
    else if (kind == "kinds")
      captures.back().kinds = rest;
    else if (kind == "event")
      captures.back().events.push_back(from_hex(rest.at(0)));
    else
      captures.back().rows.emplace_back(kind == "after", rest);
  }
  return captures;
}

// The images of a capture as JSON objects, in their order, with the table that they have.
class CaptureLines {
 public:
  explicit CaptureLines(const Capture& capture) {
    for (const std::string& event : capture.events) feed(as_bytes(event), capture.format);
  }
  const dispatch::RowTable& table() const { return *table_; }
  std::vector<std::pair<bool, nlohmann::json>> images;

 private:
  void feed(Bytes event, decode::FormatDescription format) {
    const decode::EventHeader header = decode::decode_header(event).value();
    const Bytes body = decode::event_body(event, format, true).value();
    switch (decode::role_of(header.type, header.flags)) {
      case decode::EventRole::payload: {
        const auto payload = decode::decode_transaction_payload(body, 1 << 20).value();
        format.checksummed = false;
        for (const Bytes inner : payload.events) feed(inner, format);
        return;
      }
      case decode::EventRole::table_map: {
        auto table = std::make_shared<dispatch::RowTable>();
        table->map = decode::decode_table_map(body, format).value();
        table->format = std::make_shared<const decode::FormatDescription>(format);
        table_ = std::move(table);
        return;
      }
      case decode::EventRole::rows:
        return feed_rows(header, body);
      default:
        return;
    }
  }
  void feed_rows(const decode::EventHeader& header, Bytes body) {
    decode::Batch batch;
    batch.bytes.assign(body.begin(), body.end());
    decode::EventRef event;
    event.size = static_cast<std::uint32_t>(body.size());
    event.type = header.type;
    event.flags = header.flags;
    dispatch::TableRows rows;
    rows.add(batch, event, table_, {1, 1, "g"});
    const Status done = dispatch::for_each_change(rows, [&](const dispatch::ChangeView& change) {
      std::string line;
      Status put = append_change(change, {"d", "t"}, 1, line);
      if (!put.ok()) return put;
      const auto parsed = nlohmann::json::parse(line, nullptr, false);
      EXPECT_FALSE(parsed.is_discarded()) << line;
      if (parsed.contains("before")) images.emplace_back(false, parsed.at("before"));
      if (parsed.contains("after")) images.emplace_back(true, parsed.at("after"));
      return Status(Unit{});
    });
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().what);
  }

  dispatch::RowTablePtr table_;
};

// Whether the value says what SELECT said. Members and MariaDB's addresses have forms of their own.
testing::AssertionResult same(const ColumnShape& shape, const nlohmann::json& value,
                              const std::string& text) {
  const auto differs = [&] { return testing::AssertionFailure() << value << " is not " << text; };
  if (value.is_object() && value.contains("base64"))
    return from_base64(value.at("base64")) == text ? testing::AssertionSuccess() : differs();
  if (shape.type == WireType::bit) {
    std::uint64_t bits = 0;
    for (const char c : text) bits = bits << 8 | static_cast<unsigned char>(c);
    const std::string number = std::to_string(bits);
    return value == nlohmann::json(bits) || value == nlohmann::json(number)
               ? testing::AssertionSuccess()
               : differs();
  }
  if (value.is_number())
    return value.get<double>() == std::strtod(text.c_str(), nullptr) ? testing::AssertionSuccess()
                                                                     : differs();
  return value.is_string() && value.get<std::string>() == text ? testing::AssertionSuccess()
                                                               : differs();
}

class JsonLines : public testing::TestWithParam<const char*> {};

TEST_P(JsonLines, SayWhatSelectSaid) {
  const auto captures = read_captures(GetParam());
  ASSERT_FALSE(captures.empty());
  std::size_t compared = 0;
  for (const Capture& capture : captures) {
    // A feed refuses such tables: their row events do not say how wide the columns are.
    if (capture.name.starts_with("old_temporals")) continue;
    SCOPED_TRACE(capture.name);
    const CaptureLines lines(capture);
    ASSERT_EQ(lines.images.size(), capture.rows.size());
    const decode::TableMap& map = lines.table().map;
    for (std::size_t i = 0; i < capture.rows.size(); ++i) {
      EXPECT_EQ(lines.images[i].first, capture.rows[i].first);
      for (std::size_t k = 0; k < capture.kinds.size(); ++k) {
        const std::string& cell = capture.rows[i].second.at(k);
        const nlohmann::json& image = lines.images[i].second;
        SCOPED_TRACE(map.names[k] + " of row " + std::to_string(i));
        ASSERT_EQ(image.contains(map.names[k]), cell != "-");
        if (cell == "-") continue;
        const nlohmann::json& value = image.at(map.names[k]);
        ASSERT_EQ(value.is_null(), cell == "N");
        const WireType type = map.columns[k].type;
        const bool own_form = type == WireType::enum_ || type == WireType::set ||
                              capture.kinds[k] == "uuid" || capture.kinds[k].starts_with("inet") ||
                              value.contains("json_diff");
        const bool latin1 = value.is_string() && k < map.collations.size() &&
                            map.collations[k] == 8;  // SELECT gave its bytes
        if (value.is_null() || own_form || latin1) continue;
        EXPECT_TRUE(same(map.columns[k], value, from_hex(cell.substr(1))));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300u);
}
INSTANTIATE_TEST_SUITE_P(Servers, JsonLines, testing::Values("mariadb-10.11.txt", "mysql-9.7.txt"));

TEST(JsonValue, NumbersThatEveryReaderKeeps) {
  EXPECT_TRUE(is_safe_number("0"));
  EXPECT_TRUE(is_safe_number("-999999999999999"));
  EXPECT_FALSE(is_safe_number("9007199254740993"));
  EXPECT_FALSE(is_safe_number("-9223372036854775808"));
  EXPECT_TRUE(is_safe_number("-0.50"));
  EXPECT_TRUE(is_safe_number("0.000000000000000000000000000123"));
  EXPECT_FALSE(is_safe_number("123456789.123456789"));
}

TEST(JsonString, TakesUtf8AndNothingElse) {
  std::string out;
  EXPECT_TRUE(append_json_string("a\"\\\n\x01\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", out));
  EXPECT_EQ(out, "\"a\\\"\\\\\\n\\u0001\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xff", "\xf0\x9f\x98"}) {
    std::string none = "kept";
    EXPECT_FALSE(append_json_string(bad, none)) << bad;
    EXPECT_EQ(none, "kept");
  }
}

TEST(JsonValue, TextOfOtherCharacterSets) {
  decode::TableMap map;
  map.columns = {ColumnShape{WireType::varchar, 40}};
  std::string scratch;
  const auto value = [&](std::uint32_t collation, std::string_view text) {
    map.collations = {collation};
    decode::Cell cell;
    cell.data = as_bytes(text).data();
    cell.size = static_cast<std::uint32_t>(text.size());
    cell.present = true;
    std::string out;
    EXPECT_TRUE(append_value(map, 0, cell, scratch, out).ok());
    return out;
  };
  EXPECT_EQ(value(8,
                  "\x80"
                  "5"),
            "\"\xe2\x82\xac"
            "5\"");
  EXPECT_EQ(value(45, "\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(value(2304, "\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(value(45, "\xe9"), R"({"base64":"6Q==","collation":45})");
  EXPECT_EQ(value(28, "\xb0\xa1"), R"({"base64":"sKE=","collation":28})");
  EXPECT_EQ(value(63, "abc"), R"({"base64":"YWJj"})");
}

}  // namespace
}  // namespace wherry::sink
