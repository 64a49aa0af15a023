#include "store/record.h"

#include <algorithm>
#include <cstring>

#include "store/bytes_out.h"

namespace wherry::store {
namespace {

constexpr std::size_t kCommitFixed = 56;  // without the bytes of the two texts

}  // namespace

void encode(const Event& event, std::byte* at) {
  at = put_le(at, event.body.size(), 4);
  at = put_le(at, static_cast<std::uint8_t>(RecordKind::event), 1);
  at = put_le(at, event.type, 1);
  at = put_le(at, event.flags, 2);
  at = put_le(at, event.rows, 4);
  at = put_le(at, event.timestamp, 4);
  at = put_le(at, event.server_id, 4);
  at = put_le(at, event.table_version, 8);
  std::ranges::copy(event.body, at);
}

std::size_t size_of(const Commit& commit) {
  return kRecordHead + kCommitFixed + commit.gtid_source.size() + commit.file.size();
}

void encode(const Commit& commit, std::byte* at) {
  at = put_le(at, size_of(commit) - kRecordHead, 4);
  at = put_le(at, static_cast<std::uint8_t>(RecordKind::commit), 1);
  std::memset(at, 0, kRecordHead - 5);
  at += kRecordHead - 5;
  at = put_le(at, commit.cseq, 8);
  at = put_le(at, commit.commit_us, 8);
  at = put_le(at, commit.generation, 8);
  at = put_le(at, commit.end_offset, 8);
  at = put_le(at, commit.gtid_number, 8);
  at = put_le(at, commit.flags, 4);
  at = put_le(at, commit.gtid_domain, 4);
  at = put_le(at, commit.gtid_server, 4);
  at = put_le(at, commit.gtid_source.size(), 2);
  at = put_le(at, commit.file.size(), 2);
  at = std::ranges::copy(as_bytes(commit.gtid_source), at).out;
  std::ranges::copy(as_bytes(commit.file), at);
}

bool RecordWalk::next() {
  if (failed_ || next_ == body_.size()) return false;
  const std::size_t rest = body_.size() - next_;
  if (rest < kRecordHead) {
    failed_ = true;
    return false;
  }
  head_ = body_.data() + next_;
  size_ = static_cast<std::uint32_t>(load_le(head_, 4));
  const auto kind = static_cast<std::uint8_t>(head_[4]);
  const bool known = kind == static_cast<std::uint8_t>(RecordKind::event) ||
                     kind == static_cast<std::uint8_t>(RecordKind::commit);
  if (!known || size_ > rest - kRecordHead) {
    failed_ = true;
    return false;
  }
  kind_ = static_cast<RecordKind>(kind);
  next_ += kRecordHead + size_;
  return true;
}

Event RecordWalk::event() const {
  Event event;
  event.type = static_cast<std::uint8_t>(head_[5]);
  event.flags = static_cast<std::uint16_t>(load_le(head_ + 6, 2));
  event.rows = rows();
  event.timestamp = static_cast<std::uint32_t>(load_le(head_ + 12, 4));
  event.server_id = static_cast<std::uint32_t>(load_le(head_ + 16, 4));
  event.table_version = table_version();
  event.body = {head_ + kRecordHead, size_};
  return event;
}

bool RecordWalk::commit(Commit& commit) const {
  wherry::Cursor in({head_ + kRecordHead, size_});
  commit.cseq = in.uint_le(8);
  commit.commit_us = in.uint_le(8);
  commit.generation = in.uint_le(8);
  commit.end_offset = in.uint_le(8);
  commit.gtid_number = in.uint_le(8);
  commit.flags = static_cast<std::uint32_t>(in.uint_le(4));
  commit.gtid_domain = static_cast<std::uint32_t>(in.uint_le(4));
  commit.gtid_server = static_cast<std::uint32_t>(in.uint_le(4));
  const std::size_t source = in.uint_le(2);
  const std::size_t file = in.uint_le(2);
  commit.gtid_source = in.text(source);
  commit.file = in.text(file);
  return !in.failed() && in.size() == 0;
}

}  // namespace wherry::store
