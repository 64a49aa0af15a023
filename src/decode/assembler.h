// Cuts the stream of events into groups, one per GTID, and collects them in batches. It alone
// decides where a transaction begins and ends, and counts cseq. Pure: events in, batches out; one
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "decode/batch.h"
#include "model/position.h"

namespace wherry::decode {

struct AssemblerOptions {
  Dialect dialect = Dialect::mysql;
  std::size_t batch_bytes = 512 << 10;      // a batch is complete at this size
  std::size_t part_bytes = 16 << 20;        // a group larger than this is handed out in parts
  std::size_t payload_bytes_max = 1 << 30;  // what one compressed transaction may unpack to
  std::uint64_t generation = 1;
};

class Assembler {
 public:
  // from: where the stream begins (a group edge); next_cseq: the number of the first group after
  // it.
  Assembler(const AssemblerOptions& options, const Position& from, std::uint64_t next_cseq);

  // One whole event as the server sent it. An error leaves the assembler unusable until restart().
  Status feed(Bytes event);

  // A batch must be taken: ask after each feed(), before the next. take() returns null when there
  // is nothing that may go out yet.
  bool full() const {
    return batch_ != nullptr && (complete_ || batch_->bytes.size() >= options_.batch_bytes);
  }
  std::unique_ptr<Batch> take();

  // The last group edge: where a reconnect resumes.
  const Position& edge() const;
  std::uint64_t next_cseq() const { return next_cseq_; }
  // Whether events of an unfinished group are held or were handed out in parts.
  bool inside_group() const { return group_.has_value(); }

  // The stream begins again at edge(), at the given generation. An unfinished group is forgotten;
  // if parts of it were handed out already, the next batch says so by an aborted group.
  void restart(std::uint64_t generation);

 private:
  Status dispatch(const EventHeader& header, Bytes body);
  Status on_query(const EventHeader& header, Bytes body);
  Status on_gtid(const EventHeader& header, Bytes body);
  Status on_heartbeat(const EventHeader& header, Bytes body);
  Status on_rotate(const EventHeader& header, Bytes body);
  Status on_payload(const EventHeader& header, Bytes body);
  void open_group(const EventHeader& header);
  void add_event(const EventHeader& header, Bytes body);
  void close_group(const EventHeader& header, GroupEnd end);
  void emit_part();
  void advance(const EventHeader& header);
  Batch& batch();

  struct Open {  // the group under construction
    Group group;
    std::string gtid_source;
    bool standalone = false;  // MariaDB: one statement is the whole group
    bool has_begin = false;   // BEGIN, XA START or CREATE ... START TRANSACTION was seen
    bool parts_out = false;   // parts were handed out
  };

  AssemblerOptions options_;
  std::shared_ptr<const FormatDescription> format_;
  std::unique_ptr<Batch> batch_;
  std::optional<Open> group_;
  FilePosition seen_;
  mutable Position edge_;
  MysqlGtidSet mysql_set_;
  MariadbGtidPosition mariadb_position_;
  std::uint64_t next_cseq_ = 1;
  std::uint64_t last_commit_us_ = 0;
  bool complete_ = false;  // the batch must go out as it is (a rotation, a part)
};

}  // namespace wherry::decode
