// A source for tests: transactions whose events have the bytes that MySQL would write, put into a
// log. All tables have the columns id and v, both BIGINT, and their table maps name them. For tests
// only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "feed/batch_log.h"
#include "store/log_for_tests.h"

namespace wherry::feed {

class SourceStream {
 public:
  explicit SourceStream(store::Log& log, std::uint64_t next_cseq = 1)
      : log_(log), writer_(log), cseq_(next_cseq) {
    decode::FormatDescription format;
    format.post_header_sizes.assign(42, 10);
    format.post_header_sizes[1] = 13;  // query
    format.post_header_sizes[18] = 8;  // table map
    format.server_version = "9.7.4";
    format_ = std::make_shared<const decode::FormatDescription>(std::move(format));
    fresh();
  }

  bool names = true;    // table maps with names, as with binlog_row_metadata=FULL
  std::size_t pad = 0;  // bytes of a third column that make rows large; 0: there is none
  std::uint64_t next_cseq() const { return cseq_; }

  // Rows of the open transaction: one event each time, with `count` rows from id on.
  SourceStream& insert(const std::string& table, std::int64_t id, std::int64_t v,
                       std::size_t count = 1) {
    return rows(decode::EventType::write_rows_v2, table, id, v, count);
  }
  SourceStream& erase(const std::string& table, std::int64_t id, std::int64_t v) {
    return rows(decode::EventType::delete_rows_v2, table, id, v, 1);
  }
  SourceStream& query(const std::string& text, const std::string& database = "db") {
    std::string body(8, '\0');
    body += static_cast<char>(database.size());
    body.append(4, '\0');  // error code, length of the status variables
    body += database;
    body += '\0';
    add(decode::EventType::query, body + text);
    group_.has_statement = true;
    return *this;
  }
  // Ends the open transaction.
  SourceStream& commit(decode::GroupEnd end = decode::GroupEnd::commit) {
    group_.cseq = cseq_;
    group_.end_offset = 100 * cseq_;
    group_.commit_us = 1'700'000'000'000'000 + cseq_;
    group_.gtid.number = cseq_;
    group_.end = end;
    group_.first_event = first_event_;
    group_.event_count = static_cast<std::uint32_t>(batch_->events.size()) - first_event_;
    first_event_ = static_cast<std::uint32_t>(batch_->events.size());
    batch_->groups.push_back(std::exchange(group_, {}));
    ++cseq_;
    return *this;
  }
  SourceStream& statement(const std::string& text, const std::string& database = "db") {
    return query(text, database).commit(decode::GroupEnd::statement);
  }
  // XA PREPARE of the open transaction under a name of one letter.
  SourceStream& prepare(char name) {
    std::string body(1, '\0');
    body += std::string("\1\0\0\0\1\0\0\0\0\0\0\0", 12) + name;
    add(decode::EventType::xa_prepare, body);
    return commit(decode::GroupEnd::xa_prepare);
  }
  static std::string xid(char name) { return fmt::format("X'{:02x}',X'',1", name); }

  // Everything so far goes into the log.
  void publish() {
    ASSERT_TRUE(store::ok(writer_.put(*batch_)));
    fresh();
  }

 private:
  static std::string le(std::uint64_t value, std::size_t width) {
    std::string out;
    for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  }
  static std::string lenenc(const std::string& text) {
    return static_cast<char>(text.size()) + text;
  }
  void fresh() {
    batch_ = std::make_unique<decode::Batch>();
    batch_->format = format_;
    batch_->file = "binlog.000001";
    batch_->generation = 1;
    batch_->gtid_sources = {std::string(store::kUuid)};
    first_event_ = 0;
  }
  void add(decode::EventType type, const std::string& body) {
    decode::EventRef ref;
    ref.offset = batch_->bytes.size();
    ref.size = static_cast<std::uint32_t>(body.size());
    ref.type = type;
    batch_->events.push_back(ref);
    const Bytes bytes = as_bytes(body);
    batch_->bytes.insert(batch_->bytes.end(), bytes.begin(), bytes.end());
  }
  SourceStream& rows(decode::EventType type, const std::string& table, std::int64_t id,
                     std::int64_t v, std::size_t count) {
    const std::size_t dot = table.find('.');
    const std::string database = dot == std::string::npos ? "db" : table.substr(0, dot);
    const std::string name = dot == std::string::npos ? table : table.substr(dot + 1);
    auto [known, is_new] = ids_.emplace(std::pair{database, name}, ids_.size() + 1);
    const std::size_t columns = pad > 0 ? 3 : 2;
    std::string map =
        le(known->second, 6) + le(1, 2) + lenenc(database) + '\0' + lenenc(name) + '\0';
    map += static_cast<char>(columns);
    map += pad > 0 ? std::string("\x08\x08\xfc", 3) : std::string("\x08\x08", 2);  // BLOB
    map += pad > 0 ? std::string("\x01\x04", 2) : std::string("\0", 1);
    map += '\0';  // nullable
    std::string fields = lenenc("id") + lenenc("v");
    if (pad > 0) fields += lenenc("pad");
    if (names) map += '\4' + lenenc(fields);
    if (pad > 0) map += std::string("\2\1\x3f", 3);  // binary
    add(decode::EventType::table_map, map);
    std::string body = le(known->second, 6) + le(1, 2) + le(2, 2);
    body += static_cast<char>(columns);
    body += static_cast<char>(pad > 0 ? 7 : 3);
    for (std::size_t i = 0; i < count; ++i) {
      body += '\0';
      body += le(static_cast<std::uint64_t>(id) + i, 8) + le(static_cast<std::uint64_t>(v), 8);
      if (pad > 0) body += le(pad, 4) + std::string(pad, 'x');
    }
    add(type, body);
    return *this;
  }

  store::Log& log_;
  BatchWriter writer_;
  std::shared_ptr<const decode::FormatDescription> format_;
  std::unique_ptr<decode::Batch> batch_;
  decode::Group group_;
  std::uint32_t first_event_ = 0;
  std::uint64_t cseq_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> ids_;
};

}  // namespace wherry::feed
