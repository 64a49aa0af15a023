#include "sink/file/file_writer.h"

#include <optional>

namespace wherry::sink {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kRoundBytes = 32 << 20;  // then what is written becomes durable first
constexpr std::string_view kStatements = "_schema.jsonl";

}  // namespace

FileWriter::FileWriter(const FileSinkOptions& options, dispatch::AsyncSink::Listener& listener,
                       WriterCounts& counts)
    : options_(options), listener_(listener), counts_(counts), thread_([this] { run(); }) {}

void FileWriter::push(std::unique_ptr<dispatch::TableRows> rows) {
  inbox_.with([&](Inbox& inbox) {
    if (!inbox.closed) inbox.items.push_back({std::move(rows), nullptr, {}});
  });
}

void FileWriter::push(std::shared_ptr<SharedStatement> statement, const TableName& target) {
  inbox_.with([&](Inbox& inbox) {
    if (!inbox.closed) inbox.items.push_back({nullptr, std::move(statement), target});
  });
}

void FileWriter::close() {
  inbox_.with([](Inbox& inbox) { inbox.closed = true; });
  if (thread_.joinable()) thread_.join();
}

void FileWriter::run() {
  for (;;) {
    std::deque<Item> items =
        inbox_.wait([](const Inbox& inbox) { return inbox.closed || !inbox.items.empty(); },
                    [](Inbox& inbox) {
                      return inbox.closed ? std::deque<Item>() : std::exchange(inbox.items, {});
                    });
    if (items.empty()) return;
    std::size_t bytes = 0;
    for (Item& item : items) {
      if (item.rows != nullptr) bytes += item.rows->byte_size();
      Status done = write(item);
      item = {};
      if (done.ok() && bytes >= kRoundBytes) {
        bytes = 0;
        done = finish_round();
      }
      if (!done.ok()) return listener_.failed(done.error());
    }
    if (Status done = finish_round(); !done.ok()) return listener_.failed(done.error());
  }
}

Status FileWriter::write(const Item& item) {
  return item.rows != nullptr ? write_rows(*item.rows)
                              : write_statement(item.statement, item.target);
}

Result<FileWriter::File*> FileWriter::file_of(const TableName& target) {
  std::unique_ptr<File>& file = files_[target];
  if (file == nullptr) {
    const bool statements = target.table.empty();
    const std::string name = statements ? std::string(kStatements) : file_name_of(target);
    file = std::make_unique<File>(options_.folder + "/" + name, options_.calls, statements);
  }
  if (!file->lines.is_open()) {
    if (open_ >= options_.files_open_max) {
      if (Status done = finish_round(); !done.ok()) return done.error();
      for (const auto& [other, one] : files_) one->lines.release();
      open_ = 0;
    }
    if (Status opened = file->lines.open(); !opened.ok()) return opened.error();
    ++open_;
  }
  round_.dirty.insert(file.get());
  return file.get();
}

LineMark FileWriter::next_mark(File& file, std::uint64_t cseq) {
  if (file.cseq != cseq) {
    file.cseq = cseq;
    file.number = 0;
  }
  return {cseq, ++file.number};
}

Status FileWriter::write_rows(const dispatch::TableRows& rows) {
  Result<File*> found = file_of(rows.target);
  if (!found.ok()) return found.error();
  File& file = *found.value();
  Status done = dispatch::for_each_change(rows, [&](const dispatch::ChangeView& change) {
    const LineMark mark = next_mark(file, change.origin.cseq);
    if (!change.wanted || file.lines.holds(mark)) return Status(Unit{});
    std::string& buffer = file.lines.buffer();
    if (Status put = append_change(change, rows.target, mark.number, buffer); !put.ok())
      return Status(put.error().within(change.table.source.to_string()));
    file.lines.note(mark);
    ++round_.changes;
    if (buffer.size() < kBufferBytes) return Status(Unit{});
    counts_.bytes.fetch_add(buffer.size(), std::memory_order_relaxed);
    return file.lines.write();
  });
  if (!done.ok()) return done;
  round_.tickets[rows.stream] = rows.ticket;
  return Unit{};
}

Status FileWriter::write_statement(const std::shared_ptr<SharedStatement>& statement,
                                   const TableName& target) {
  Result<File*> found = file_of(target);
  if (!found.ok()) return found.error();
  File& file = *found.value();
  const LineMark mark = next_mark(file, statement->event.origin.cseq);
  round_.statements.push_back(statement);
  if (file.lines.holds(mark)) return Unit{};
  append_statement(statement->event, target, mark.number, file.lines.buffer());
  file.lines.note(mark);
  return Unit{};
}

Status FileWriter::finish_round() {
  Round round = std::exchange(round_, {});
  for (File* file : round.dirty) {
    counts_.bytes.fetch_add(file->lines.buffer().size(), std::memory_order_relaxed);
    if (Status done = file->lines.write(); !done.ok()) return done;
  }
  for (File* file : round.dirty) {
    if (Status done = file->lines.sync(); !done.ok()) return done;
    counts_.syncs.fetch_add(1, std::memory_order_relaxed);
  }
  counts_.changes.fetch_add(round.changes, std::memory_order_relaxed);
  for (const auto& [stream, ticket] : round.tickets) listener_.durable(stream, ticket);
  for (const auto& statement : round.statements) {
    if (statement->files_left.fetch_sub(1, std::memory_order_acq_rel) == 1)
      listener_.block_event_durable(statement->event.id);
  }
  return Unit{};
}

}  // namespace wherry::sink
