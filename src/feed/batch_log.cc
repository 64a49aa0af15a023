#include "feed/batch_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/hash.h"

namespace wherry::feed {
namespace {

using decode::Batch;
using decode::FormatDescription;
using decode::Group;
using decode::GroupEnd;
using store::Cursor;
using Step = store::RecordSource::Step;

// A commit's flags: how the group ended, and what it holds.
constexpr std::uint32_t kEndMask = 3;
constexpr std::uint32_t kHasStatement = 4;
constexpr std::uint32_t kAlterStart = 8;
constexpr std::uint32_t kNoGtid = 16;

// A batch of transactions of which nothing is wanted ends as well.
constexpr std::size_t kGroupsMax = 1 << 14;

std::uint32_t flags_of(const Group& group) {
  std::uint32_t flags = static_cast<std::uint32_t>(group.end);
  if (group.has_statement) flags |= kHasStatement;
  if (group.alter_start) flags |= kAlterStart;
  if (group.gtid.number == 0) flags |= kNoGtid;
  return flags;
}

// dialect, checksummed, sizes of post headers, server version.
std::string text_of(const FormatDescription& format) {
  std::string out;
  out += format.dialect == Dialect::mysql ? 'm' : 'a';
  out += format.checksummed ? '1' : '0';
  out += static_cast<char>(format.post_header_sizes.size());
  for (const std::uint8_t size : format.post_header_sizes) out += static_cast<char>(size);
  return out + format.server_version;
}

Result<FormatDescription> format_of(Bytes content) {
  const std::string_view text = as_text(content);
  const Error malformed{Errc::malformed, "the log's record of a stream format is damaged", 0};
  if (text.size() < 3 || (text[0] != 'm' && text[0] != 'a')) return malformed;
  FormatDescription format;
  format.dialect = text[0] == 'm' ? Dialect::mysql : Dialect::mariadb;
  format.checksummed = text[1] == '1';
  const std::size_t sizes = static_cast<unsigned char>(text[2]);
  if (text.size() < 3 + sizes) return malformed;
  for (std::size_t i = 0; i < sizes; ++i)
    format.post_header_sizes.push_back(static_cast<std::uint8_t>(text[3 + i]));
  format.server_version = text.substr(3 + sizes);
  return format;
}

// Rows that the log may be entered between; all other events count as one.
store::Event to_event(const Batch& batch, const decode::EventRef& ref, std::uint64_t format) {
  store::Event event;
  event.table_version = format;
  event.timestamp = ref.timestamp;
  event.server_id = ref.server_id;
  event.flags = ref.flags;
  event.type = static_cast<std::uint8_t>(ref.type);
  event.body = batch.body(ref);
  return event;
}

store::Commit to_commit(const Batch& batch, const Group& group) {
  store::Commit commit;
  commit.cseq = group.cseq;
  commit.commit_us = group.commit_us;
  commit.generation = batch.generation;
  commit.file = batch.file;
  commit.end_offset = group.end_offset;
  if (group.gtid.number != 0 && group.gtid.source < batch.gtid_sources.size())
    commit.gtid_source = batch.gtid_sources[group.gtid.source];
  commit.gtid_number = group.gtid.number;
  commit.gtid_domain = group.gtid.domain;
  commit.gtid_server = group.gtid.server;
  commit.flags = flags_of(group);
  return commit;
}

Group to_group(const store::Commit& commit) {
  Group group;
  group.cseq = commit.cseq;
  group.end_offset = commit.end_offset;
  group.commit_us = commit.commit_us;
  group.gtid.number = commit.gtid_number;
  group.gtid.domain = commit.gtid_domain;
  group.gtid.server = commit.gtid_server;
  group.end = static_cast<GroupEnd>(commit.flags & kEndMask);
  group.has_statement = (commit.flags & kHasStatement) != 0;
  group.alter_start = (commit.flags & kAlterStart) != 0;
  return group;
}

std::uint32_t index_of(std::vector<std::string>& sources, std::string_view source) {
  const auto found = std::find(sources.begin(), sources.end(), source);
  if (found != sources.end()) return static_cast<std::uint32_t>(found - sources.begin());
  sources.emplace_back(source);
  return static_cast<std::uint32_t>(sources.size() - 1);
}

}  // namespace

Status BatchWriter::put(const Batch& batch) {
  if (batch.format != nullptr && batch.format != format_) {
    const std::string text = text_of(*batch.format);
    format_id_ = hash64(text) | 1;
    if (Status defined = log_.writer().define(format_id_, as_bytes(text)); !defined.ok())
      return defined;
    format_ = batch.format;
  }
  for (const Group& group : batch.groups) {
    if (Status done = put(batch, group); !done.ok()) return done;
  }
  return log_.writer().publish();
}

Status BatchWriter::put(const Batch& batch, const Group& group) {
  store::Writer& writer = log_.writer();
  if (group.aborted) return writer.abort();
  Status done = Unit{};
  if (group.opens) done = writer.begin(group.cseq);
  for (std::uint32_t i = 0; done.ok() && i < group.event_count; ++i)
    done = writer.add(to_event(batch, batch.events[group.first_event + i], format_id_));
  return done.ok() && group.closes ? writer.commit(to_commit(batch, group)) : done;
}

bool holds_statement(const store::Commit& commit) { return (commit.flags & kHasStatement) != 0; }

Result<CommitFacts> commit_of(store::Log& log, std::uint64_t cseq) {
  // Behind every event of the transaction, and before its commit.
  constexpr std::uint64_t kBehindEvents = std::uint64_t{1} << 62;
  const std::unique_ptr<Cursor> cursor = log.cursor({cseq, kBehindEvents});
  Result<Step> step = cursor->next(std::chrono::milliseconds(0));
  if (!step.ok()) return step.error();
  if (step.value() != Step::commit || cursor->commit().cseq != cseq)
    return Error{Errc::lost, fmt::format("the log does not hold the end of transaction {}", cseq),
                 0};
  return CommitFacts{to_group(cursor->commit()), std::string(cursor->commit().gtid_source)};
}

BatchReader::BatchReader(std::unique_ptr<store::RecordSource> records, std::uint64_t done,
                         const BatchReaderOptions& options)
    : options_(options), records_(std::move(records)), done_(done) {
  FormatDescription none;
  none.dialect = options.dialect;
  no_events_ = std::make_shared<const FormatDescription>(std::move(none));
}

std::unique_ptr<Batch> BatchReader::begin() {
  if (carried_ != nullptr) {
    group_.event_count = static_cast<std::uint32_t>(carried_->events.size());
    return std::move(carried_);
  }
  auto batch = std::make_unique<Batch>();
  batch->events.reserve(events_before_);
  batch->groups.reserve(events_before_ / 2);
  batch->file = file_;
  group_.first_event = 0;
  group_.event_count = 0;
  return batch;
}

// The open group turned out to end elsewhere: its events begin the next batch.
void BatchReader::carry_over(Batch& from) {
  if (group_.event_count == 0) return;
  const std::uint32_t first = group_.first_event;
  std::unique_ptr<Batch> next = begin();  // with a group that has no events yet
  next->format = from.format;
  for (std::size_t i = first; i < from.events.size(); ++i) {
    const Bytes body = from.body(from.events[i]);
    next->events.push_back(from.events[i]);
    next->events.back().offset = next->bytes.size();
    next->bytes.insert(next->bytes.end(), body.begin(), body.end());
  }
  if (options_.wanted) {
    next->numbers.assign(from.numbers.begin() + first, from.numbers.end());
    from.numbers.resize(first);
  }
  if (from.borrowed.base == nullptr)
    from.bytes.resize(from.events[first].offset);
  else
    from.borrowed.size -= next->bytes.size();
  from.events.resize(first);
  carried_ = std::move(next);
}

// A batch has one format, its groups end in one file of one generation of the source, and what it
// borrows is of one block.
bool BatchReader::fits(const Batch& batch) const {
  if (step_ == Step::event) {
    if (batch.borrowed.base != nullptr && batch.borrowed.block.get() != records_->block())
      return false;
    const auto known = formats_.find(records_->event().table_version);
    return batch.format == nullptr || (known != formats_.end() && known->second == batch.format);
  }
  const store::Commit& commit = records_->commit();
  return batch.groups.empty() ||
         (batch.file == commit.file && batch.generation == commit.generation);
}

Result<std::unique_ptr<Batch>> BatchReader::next(std::chrono::milliseconds wait) {
  std::unique_ptr<Batch> batch;
  for (;;) {
    if (!std::exchange(record_waits_, false)) {
      const auto pause = batch == nullptr ? wait : std::chrono::milliseconds(0);
      Result<Step> step = records_->next(pause);
      if (!step.ok()) return step.error();
      step_ = step.value();
      if (step_ == Step::event) ++events_seen_;
    }
    if (step_ == Step::nothing) return finish(std::move(batch));
    if (step_ == Step::event && options_.wanted && !options_.wanted(records_->event())) continue;
    if (batch == nullptr) batch = begin();
    if (!fits(*batch)) {
      record_waits_ = true;
      carry_over(*batch);
      if (!batch->groups.empty() || carried_ == nullptr) return finish(std::move(batch));
      batch.reset();  // all of it goes on in the next
      continue;
    }
    std::size_t complete = options_.part_bytes;
    if (step_ == Step::commit) {
      take_commit(*batch);
      complete = options_.batch_bytes;
    } else if (Status taken = take_event(*batch); !taken.ok()) {
      return taken.error();
    }
    if (batch->body_bytes() >= complete || batch->groups.size() >= kGroupsMax)
      return finish(std::move(batch));
  }
}

std::unique_ptr<Batch> BatchReader::finish(std::unique_ptr<Batch> batch) {
  if (batch == nullptr) return batch;
  if (batch->format == nullptr) batch->format = no_events_;
  events_before_ = batch->events.size();
  if (group_.event_count > 0) {
    Group part = group_;
    part.cseq = done_ + 1;
    part.closes = false;
    batch->groups.push_back(part);
    group_.opens = false;
  }
  return batch;
}

Status BatchReader::set_format(Batch& batch, std::uint64_t id) {
  auto known = formats_.find(id);
  if (known == formats_.end()) {
    const store::Definition content = records_->definition(id);
    if (content == nullptr)
      return Error{Errc::malformed, fmt::format("the log has no stream format {}", id), 0};
    Result<FormatDescription> format = format_of(as_bytes(*content));
    if (!format.ok()) return format.error();
    known =
        formats_.emplace(id, std::make_shared<const FormatDescription>(std::move(format).value()))
            .first;
  }
  batch.format = known->second;
  return Unit{};
}

// Where the body stands in the batch, which borrows it where it can, unless it was begun with
// events of another block.
std::size_t BatchReader::place(Batch& batch, Bytes body) {
  if (batch.events.empty()) {
    if (std::shared_ptr<const void> block = records_->hold(); block != nullptr)
      batch.borrowed = {std::move(block), body.data(), 0};
  }
  if (batch.borrowed.base != nullptr) {
    batch.borrowed.size += body.size();
    return static_cast<std::size_t>(body.data() - batch.borrowed.base);
  }
  const std::size_t offset = batch.bytes.size();
  batch.bytes.insert(batch.bytes.end(), body.begin(), body.end());
  return offset;
}

Status BatchReader::take_event(Batch& batch) {
  const store::Event& event = records_->event();
  if (batch.format == nullptr) {
    if (Status set = set_format(batch, event.table_version); !set.ok()) return set;
  }
  decode::EventRef ref;
  ref.offset = place(batch, event.body);
  ref.size = static_cast<std::uint32_t>(event.body.size());
  ref.timestamp = event.timestamp;
  ref.server_id = event.server_id;
  ref.type = static_cast<decode::EventType>(event.type);
  ref.flags = event.flags;
  batch.events.push_back(ref);
  if (options_.wanted) batch.numbers.push_back(events_seen_ - 1);
  ++group_.event_count;
  return Unit{};
}

void BatchReader::take_commit(Batch& batch) {
  const store::Commit& commit = records_->commit();
  batch.file = file_ = commit.file;
  batch.generation = commit.generation;
  batch.seen_offset = commit.end_offset;
  Group group = to_group(commit);
  group.first_event = group_.first_event;
  group.event_count = group_.event_count;
  group.opens = group_.opens;
  group_ = group;
  if (commit.gtid_number != 0 && !commit.gtid_source.empty())
    group_.gtid.source = index_of(batch.gtid_sources, commit.gtid_source);
  batch.groups.push_back(group_);
  done_ = commit.cseq;
  group_ = Group{};
  events_seen_ = 0;
  group_.first_event = static_cast<std::uint32_t>(batch.events.size());
}

}  // namespace wherry::feed
