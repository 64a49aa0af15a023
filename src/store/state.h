// What the threads of one log share, reachable only under its lock: the tail in memory, the list of
// segments, how far everything is, and who still needs what. The writer appends to a chunk's bytes
// without the lock, behind what `ready` shows to others.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/segment.h"
#include "support/guarded.h"

namespace wherry::store {

// Records as they come, one block of memory; the flusher cuts blocks for the disk out of it. It
// holds whole transactions, or a piece of one that is larger than it.
struct Chunk {
  Chunk(std::size_t bytes, const Point& at)
      : memory(std::make_unique_for_overwrite<std::byte[]>(bytes)),
        capacity(bytes),
        first(at),
        cut_point(at) {}
  Bytes body(std::size_t from, std::size_t to) const { return {memory.get() + from, to - from}; }

  const std::unique_ptr<std::byte[]> memory;
  const std::size_t capacity;
  const Point first;
  // The rest is the lock's.
  std::size_t ready = 0;  // bytes that others may look at
  std::size_t cut = 0;    // bytes that are on disk
  Point cut_point;        // where these end
  bool closed = false;    // no more will come
};

struct KnownDefinition {
  Definition content;
  std::size_t carriers = 0;  // segments on disk that hold it
  bool retired = false;      // no new rows will use it
};

struct ConsumerState {
  std::uint64_t done = 0;  // the last cseq that it needs no more
  bool pressed = false;    // it is the slowest and the disk fills up
};

struct State {
  std::deque<std::shared_ptr<Chunk>> tail;
  std::size_t tail_bytes = 0;
  std::uint64_t visible = 0;  // the newest cseq that cursors see

  std::deque<Segment> segments;  // ascending; only the last one may be unsealed
  std::uint64_t disk_bytes = 0;
  std::uint64_t durable = 0;
  Place written;  // behind the newest transaction that the files hold, synced or not
  std::uint64_t write_wanted = 0;
  std::size_t unsynced_bytes = 0;
  std::optional<std::chrono::steady_clock::time_point> unsynced_since;
  std::uint64_t sync_wanted = 0;

  std::map<std::uint64_t, KnownDefinition> definitions;
  std::map<std::string, ConsumerState> consumers;
  bool consumers_changed = false;
  bool retention_due = false;

  std::optional<std::uint64_t> abort;  // a transaction of which pieces were handed on
  bool throttled = false;              // the writer waits for the disk
  bool closing = false;                // the flusher writes what is there, and ends
  bool stopping = false;               // everybody who waits is sent home
  std::optional<Error> error;          // the disk failed: nothing is written any more
  std::size_t scrub_left = 0;          // segments that were not looked at since the log was opened
  std::optional<Error> damage;         // what the scrubber found
};

using Shared = Guarded<State>;

// Over four fifths of the disk's bound the slowest consumer is pressed. Called after each change
// of the disk's use or a consumer.
void press_slowest(State& state, std::uint64_t disk_bytes_max);
// The newest cseq that no consumer needs; nothing: nobody said what it needs, so all stays.
std::optional<std::uint64_t> released(const State& state);
// Null: nothing that is still in the log uses it.
Definition find_definition(const State& state, std::uint64_t id);
// The newest cseq of which the segment has a record.
std::uint64_t last_cseq(const Segment& segment);

}  // namespace wherry::store
