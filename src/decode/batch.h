// Transactions as they came from the source, many to a batch, so that memory is taken once for
// thousands of them. Built by the Assembler's thread, then immutable and shared by everybody who
// still needs one of its transactions; whoever holds a batch keeps its bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decode/event.h"
#include "support/byte_budget.h"

namespace wherry::decode {

// One event: where its body stands, from the batch's bytes or what it borrows on.
struct EventRef {
  std::size_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t timestamp = 0;
  std::uint32_t server_id = 0;
  EventType type = EventType::unknown;
  std::uint16_t flags = 0;
};

// A GTID without its text. MySQL: source is an index into Batch::gtid_sources.
struct GtidRef {
  std::uint32_t source = 0;
  std::uint32_t domain = 0;
  std::uint32_t server = 0;
  std::uint64_t number = 0;  // 0: anonymous
};

// Why a group of events ended.
enum class GroupEnd : std::uint8_t { commit, rollback, statement, xa_prepare };

// One GTID group (transaction, DDL, empty ones too), or a part of one that is too large to be held.
struct Group {
  std::uint64_t cseq = 0;
  std::uint64_t end_offset = 0;  // in Batch::file
  std::uint64_t commit_us = 0;   // microseconds since the epoch, made monotonic
  GtidRef gtid;
  std::uint32_t first_event = 0;  // in Batch::events
  std::uint32_t event_count = 0;
  GroupEnd end = GroupEnd::commit;
  bool opens = true;           // first part
  bool closes = true;          // last part; false: more follows in the next batch
  bool has_statement = false;  // holds query events: DDL, savepoints, statement-format DML, XA
  bool alter_start = false;    // MariaDB's two-phase ALTER: announced, not run
  bool aborted = false;  // closes an open group without its end: the stream was lost inside it
};

struct Batch {
  std::vector<std::byte> bytes;
  struct Borrowed {  // the events stand in a block of somebody else, who keeps it unchanged
    std::shared_ptr<const void> block;
    const std::byte* base = nullptr;  // null: they stand in bytes
    std::size_t size = 0;             // of the events' bodies
  } borrowed;
  std::vector<EventRef> events;
  // Where events were left out: the number of each that is here in its group, all parts together.
  std::vector<std::uint64_t> numbers;
  std::vector<Group> groups;
  std::string file;               // all groups end in this binlog file
  std::uint64_t seen_offset = 0;  // end of the last event outside a group, >= every end_offset
  std::vector<std::string> gtid_sources;  // "uuid" or "uuid:tag"
  std::shared_ptr<const FormatDescription> format;
  std::uint64_t generation = 0;  // of the source that sent it
  ByteBudget::Charge charge;

  Bytes body(const EventRef& event) const {
    const std::byte* base = borrowed.base != nullptr ? borrowed.base : bytes.data();
    return {base + event.offset, event.size};
  }
  std::size_t body_bytes() const { return bytes.size() + borrowed.size; }
  EventHeader header(const EventRef& event) const {
    EventHeader header;
    header.timestamp = event.timestamp;
    header.type = event.type;
    header.server_id = event.server_id;
    header.flags = event.flags;
    return header;
  }
  std::size_t byte_size() const {
    return body_bytes() + events.size() * sizeof(EventRef) + groups.size() * sizeof(Group);
  }
};

using BatchPtr = std::shared_ptr<const Batch>;

}  // namespace wherry::decode
