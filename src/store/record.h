// The records inside a block: events and commits, one behind the other. docs/format/log.md has the
// grammar. A walk borrows the block's bytes and checks every size against them; what it returns
// lives as long as these bytes. One thread a walk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/entry.h"

namespace wherry::store {

enum class RecordKind : std::uint8_t { event = 1, commit = 2 };

inline constexpr std::size_t kRecordHead = 28;
inline constexpr std::size_t kRecordBodyMax = 0xFFF00000;  // a block's size has 32 bits

// How many bytes the record takes, and the record itself: at must have room for them.
inline std::size_t size_of(const Event& event) { return kRecordHead + event.body.size(); }
void encode(const Event& event, std::byte* at);
std::size_t size_of(const Commit& commit);
void encode(const Commit& commit, std::byte* at);

class RecordWalk {
 public:
  RecordWalk() = default;
  // offset: of a record, to go on where another walk over the same bytes stopped.
  explicit RecordWalk(Bytes body, std::size_t offset = 0) : body_(body), next_(offset) {}

  // False: no more records, or, when failed(), bytes that are no record.
  bool next();
  bool failed() const { return failed_; }
  std::size_t offset() const { return next_; }
  bool done() const { return next_ == body_.size(); }

  RecordKind kind() const { return kind_; }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(load_le(head_ + 8, 4)); }
  std::uint64_t table_version() const { return load_le(head_ + 20, 8); }
  Event event() const;
  // False: the bytes are no commit.
  bool commit(Commit& commit) const;

 private:
  Bytes body_;
  const std::byte* head_ = nullptr;
  std::size_t next_ = 0;
  std::uint32_t size_ = 0;  // of the record at head_, without its head
  RecordKind kind_ = RecordKind::event;
  bool failed_ = false;
};

}  // namespace wherry::store
