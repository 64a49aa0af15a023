#include "decode/assembler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "support/ascii.h"
#include "support/hash.h"

namespace wherry::decode {
namespace {

constexpr std::uint64_t kOffsetWrap = 1ULL << 32;  // events carry only 32 bits of their position

bool is_word(std::string_view statement, std::string_view word) {
  return ascii::same(ascii::trim(statement), word);
}

// The first event comes before any format tells whether events carry a checksum: the bytes tell.
Bytes without_checksum(Bytes event) {
  constexpr std::size_t kChecksum = 4;
  if (event.size() < kHeaderSize + kChecksum) return event;
  const Bytes rest = event.first(event.size() - kChecksum);
  return crc32_of(rest) == load_le(event.data() + rest.size(), kChecksum) ? rest : event;
}

bool ends_with_words(std::string_view statement, std::string_view words) {
  const std::string_view text = ascii::trim(statement);
  return text.size() >= words.size() && ascii::same(text.substr(text.size() - words.size()), words);
}

}  // namespace

Assembler::Assembler(const AssemblerOptions& options, const Position& from, std::uint64_t next_cseq)
    : options_(options), seen_(from.file), edge_(from), next_cseq_(next_cseq) {
  // A text that does not parse cannot come from a server; an empty set is then the honest start.
  if (options_.dialect == Dialect::mysql) {
    if (auto set = MysqlGtidSet::parse(from.gtid); set.ok()) mysql_set_ = std::move(set).value();
  } else if (auto position = MariadbGtidPosition::parse(from.gtid); position.ok()) {
    mariadb_position_ = std::move(position).value();
  }
}

const Position& Assembler::edge() const {
  edge_.gtid =
      options_.dialect == Dialect::mysql ? mysql_set_.to_string() : mariadb_position_.to_string();
  return edge_;
}

Batch& Assembler::batch() {
  if (batch_ == nullptr) {
    batch_ = std::make_unique<Batch>();
    batch_->bytes.reserve(options_.batch_bytes + (options_.batch_bytes >> 3));
    batch_->file = seen_.file;
    batch_->seen_offset = edge_.file.offset;
    batch_->format = format_;
    batch_->generation = options_.generation;
    if (group_ && !group_->gtid_source.empty()) {
      batch_->gtid_sources.push_back(group_->gtid_source);
      group_->group.gtid.source = 0;
    }
  }
  return *batch_;
}

std::unique_ptr<Batch> Assembler::take() {
  if (batch_ == nullptr) return nullptr;
  if (!group_) {
    complete_ = false;
    return std::move(batch_);
  }
  if (!complete_) return nullptr;  // the open group's events are in it
  complete_ = false;
  return std::move(batch_);
}

Status Assembler::feed(Bytes event) {
  const Result<EventHeader> header = decode_header(event);
  if (!header.ok()) return header.error();
  if (header.value().type == EventType::format_description) {
    Result<FormatDescription> format = decode_format_description(event);
    if (!format.ok()) return format.error();
    format_ = std::make_shared<FormatDescription>(std::move(format).value());
    if (batch_ != nullptr) complete_ = true;  // a batch has one format
    advance(header.value());
    return Unit{};
  }
  if (format_ == nullptr) {
    // The server's first event is an artificial rotation; nothing else may come before a format.
    if (header.value().type != EventType::rotate)
      return Error{Errc::malformed, "an event before the format description"};
    return on_rotate(header.value(), without_checksum(event).subspan(kHeaderSize));
  }
  const Result<Bytes> body = event_body(event, *format_, true);
  if (!body.ok()) {
    return body.error().within(fmt::format("{} event before {}:{}", name_of(header.value().type),
                                           seen_.file, header.value().log_pos));
  }
  Status done = dispatch(header.value(), body.value());
  if (!done.ok()) {
    return done.error().within(fmt::format("{} event before {}:{}", name_of(header.value().type),
                                           seen_.file, header.value().log_pos));
  }
  return done;
}

// Moves the seen position over one event; artificial events and those without a position stay.
void Assembler::advance(const EventHeader& header) {
  if (header.log_pos == 0 || (header.flags & kFlagArtificial) != 0) return;
  std::uint64_t offset = (seen_.offset & ~(kOffsetWrap - 1)) | header.log_pos;
  if (offset + kOffsetWrap / 2 < seen_.offset) offset += kOffsetWrap;
  seen_.offset = std::max(seen_.offset, offset);
  if (!group_) {
    edge_.file = seen_;
    if (batch_ != nullptr && batch_->file == seen_.file) batch_->seen_offset = seen_.offset;
  }
}

Status Assembler::dispatch(const EventHeader& header, Bytes body) {
  switch (header.type) {
    case EventType::rotate:
      return on_rotate(header, body);
    case EventType::gtid:
    case EventType::gtid_tagged:
    case EventType::anonymous_gtid:
    case EventType::mariadb_gtid:
      return on_gtid(header, body);
    case EventType::query:
    case EventType::mariadb_query_compressed:
      return on_query(header, body);
    case EventType::xid:
      close_group(header, GroupEnd::commit);
      return Unit{};
    case EventType::transaction_payload:
      return on_payload(header, body);
    case EventType::xa_prepare: {
      Result<XaPrepare> prepare = decode_xa_prepare(body);
      if (!prepare.ok()) return prepare.error();
      add_event(header, body);
      close_group(header, prepare.value().one_phase ? GroupEnd::commit : GroupEnd::xa_prepare);
      return Unit{};
    }
    case EventType::heartbeat:
    case EventType::heartbeat_v2:
      return on_heartbeat(header, body);
    case EventType::incident: {
      Result<IncidentView> incident = decode_incident(body);
      const std::string message = incident.ok() ? std::string(incident.value().message) : "";
      return Error{Errc::unsupported,
                   fmt::format("the source logged an incident: changes are missing from its binlog "
                               "({}); copy again from a good state",
                               message)};
    }
    default:
      break;
  }
  switch (role_of(header.type, header.flags)) {
    case EventRole::table_map:
    case EventRole::rows:
      add_event(header, body);
      if (group_ && batch().bytes.size() >= options_.part_bytes) emit_part();
      return Unit{};
    case EventRole::statement_rows:
      add_event(header, body);
      return Unit{};
    case EventRole::unknown:
      return Error{
          Errc::unsupported,
          fmt::format(
              "event type {} may hold changes and is not known; stopping is the safe answer",
              static_cast<unsigned>(header.type))};
    case EventRole::frame:
    case EventRole::transaction:
    case EventRole::payload:
    case EventRole::harmless:
      advance(header);
      if (!group_) batch();
      return Unit{};
  }
  return Unit{};
}

Status Assembler::on_heartbeat(const EventHeader& header, Bytes body) {
  Result<Heartbeat> beat = decode_heartbeat(header, body);
  if (!beat.ok()) return beat.error();
  // Sent once everything before it is sent; on an idle source nothing else tells of a new file.
  const FilePosition at{beat.value().file, beat.value().offset};
  if (group_ || at.file.empty() || compare(at, seen_) <= 0) return Unit{};
  if (batch_ != nullptr && batch_->file != at.file) {
    complete_ = true;  // a batch is of one file; the next heartbeat comes soon
    return Unit{};
  }
  seen_ = at;
  edge_.file = seen_;
  batch().seen_offset = seen_.offset;
  return Unit{};
}

Status Assembler::on_rotate(const EventHeader& header, Bytes body) {
  // A rotation is artificial when the dump begins; its checksum may be there before any format told
  // so.
  Result<RotateView> rotate = decode_rotate(body);
  if (!rotate.ok()) return rotate.error();
  if (group_ && (header.flags & kFlagArtificial) == 0 && group_->group.event_count > 0) {
    return Error{Errc::malformed, "a rotation inside a transaction"};
  }
  const std::string_view file = rotate.value().next_file;
  if (batch_ != nullptr && batch_->file != file) complete_ = true;
  if (file == seen_.file && rotate.value().next_position < seen_.offset) return Unit{};
  seen_ = {std::string(file), rotate.value().next_position};
  if (!group_) edge_.file = seen_;
  return Unit{};
}

Status Assembler::on_gtid(const EventHeader& header, Bytes body) {
  Result<GtidEvent> event = decode_gtid(header, body);
  if (!event.ok()) return event.error();
  if (group_) return Error{Errc::malformed, "a GTID inside an unfinished group"};
  const GtidEvent& gtid = event.value();
  open_group(header);
  Open& open = *group_;
  open.gtid_source = gtid.source;
  open.standalone = gtid.standalone;
  open.group.gtid = {0, gtid.domain, gtid.server, gtid.anonymous ? 0 : gtid.number};
  open.group.alter_start = gtid.alter_start || gtid.alter_rollback;
  const std::uint64_t commit_us =
      gtid.commit_us != 0 ? gtid.commit_us : std::uint64_t{header.timestamp} * 1000000;
  last_commit_us_ = std::max(last_commit_us_, commit_us);
  open.group.commit_us = last_commit_us_;
  if (options_.dialect == Dialect::mysql && !gtid.anonymous) {
    Batch& into = batch();
    if (into.gtid_sources.empty() || into.gtid_sources.back() != gtid.source)
      into.gtid_sources.push_back(gtid.source);
    open.group.gtid.source = static_cast<std::uint32_t>(into.gtid_sources.size() - 1);
  }
  return Unit{};
}

void Assembler::open_group(const EventHeader& header) {
  Open open;
  open.group.cseq = next_cseq_;
  open.group.first_event = static_cast<std::uint32_t>(batch().events.size());
  last_commit_us_ = std::max(last_commit_us_, std::uint64_t{header.timestamp} * 1000000);
  open.group.commit_us = last_commit_us_;
  group_ = std::move(open);
}

Status Assembler::on_query(const EventHeader& header, Bytes body) {
  Result<QueryView> query = decode_query(header, body, *format_);
  if (!query.ok()) return query.error();
  const std::string_view text = query.value().statement;
  if (!group_) open_group(header);
  Open& open = *group_;
  if (is_word(text, "BEGIN") || is_word(text, "START TRANSACTION")) {
    open.has_begin = true;
    return Unit{};
  }
  if (is_word(text, "COMMIT")) {
    close_group(header, GroupEnd::commit);
    return Unit{};
  }
  if (is_word(text, "ROLLBACK")) {
    close_group(header, GroupEnd::rollback);
    return Unit{};
  }
  add_event(header, body);
  open.group.has_statement = true;
  if (ascii::starts_with(text, "XA START") || ascii::starts_with(text, "XA BEGIN"))
    open.has_begin = true;
  if (ends_with_words(text, "START TRANSACTION"))
    open.has_begin = true;  // MySQL's atomic CREATE ... SELECT
  const bool whole = options_.dialect == Dialect::mariadb ? open.standalone : !open.has_begin;
  if (whole) close_group(header, GroupEnd::statement);
  return Unit{};
}

Status Assembler::on_payload(const EventHeader& header, Bytes body) {
  Result<TransactionPayload> payload = decode_transaction_payload(body, options_.payload_bytes_max);
  if (!payload.ok()) return payload.error();
  for (const Bytes event : payload.value().events) {
    Result<EventHeader> inner = decode_header(event);
    if (!inner.ok()) return inner.error();
    // Events inside have no position of their own: the group ends where the payload ends.
    inner.value().log_pos = header.log_pos;
    if (inner.value().type == EventType::transaction_payload)
      return Error{Errc::malformed, "a payload inside a payload"};
    Status done = dispatch(inner.value(), event.subspan(kHeaderSize));
    if (!done.ok()) return done.error().within("transaction payload");
  }
  return Unit{};
}

void Assembler::add_event(const EventHeader& header, Bytes body) {
  if (!group_) open_group(header);
  Batch& into = batch();
  EventRef ref;
  ref.offset = into.bytes.size();
  ref.size = static_cast<std::uint32_t>(body.size());
  ref.timestamp = header.timestamp;
  ref.server_id = header.server_id;
  ref.type = header.type;
  ref.flags = header.flags;
  into.bytes.insert(into.bytes.end(), body.begin(), body.end());
  into.events.push_back(ref);
  ++group_->group.event_count;
}

void Assembler::close_group(const EventHeader& header, GroupEnd end) {
  if (!group_) open_group(header);
  batch();  // while the group is open: a new batch takes over its GTID's source
  Open open = std::move(*group_);
  group_.reset();
  advance(header);
  Batch& into = batch();
  into.file = seen_.file;
  into.seen_offset = seen_.offset;
  open.group.end = end;
  open.group.end_offset = seen_.offset;
  into.groups.push_back(open.group);
  const GtidRef& gtid = open.group.gtid;
  if (options_.dialect == Dialect::mariadb) {
    if (gtid.number != 0) mariadb_position_.set(gtid.domain, {gtid.server, gtid.number});
  } else if (gtid.number != 0) {
    mysql_set_.add(open.gtid_source, gtid.number);
  }
  ++next_cseq_;
}

// Hands out what there is of a group that is too large to be held.
void Assembler::emit_part() {
  Batch& into = batch();
  Group part = group_->group;
  part.closes = false;
  part.end_offset = edge_.file.offset;
  into.groups.push_back(part);
  complete_ = true;
  group_->group.opens = false;
  group_->group.first_event = 0;
  group_->group.event_count = 0;
  group_->parts_out = true;
}

void Assembler::restart(std::uint64_t generation) {
  const bool abort = group_ && group_->parts_out;
  if (group_ && batch_ != nullptr) {
    // The whole groups before the unfinished one still go out.
    batch_->events.resize(group_->group.first_event);
    if (batch_->groups.empty()) batch_.reset();
  }
  group_.reset();
  if (abort) {
    Group group;
    group.cseq = next_cseq_;
    group.opens = false;
    group.aborted = true;
    group.end_offset = edge_.file.offset;
    batch().groups.push_back(group);
  }
  complete_ = batch_ != nullptr;
  format_.reset();
  options_.generation = generation;
  seen_ = edge_.file;
}

}  // namespace wherry::decode
