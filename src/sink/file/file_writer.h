// One thread of the file sink with the files that are its own: takes what waits, writes all of it,
// syncs each file once, and only then says that it is durable.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "sink/file/file_sink.h"
#include "support/guarded.h"

namespace wherry::sink {

// A statement that goes into files of several writers: durable when the last one is.
struct SharedStatement {
  dispatch::BlockEvent event;
  std::atomic<std::size_t> files_left{0};
};

struct WriterCounts {
  std::atomic<std::uint64_t> changes{0};  // durable
  std::atomic<std::uint64_t> bytes{0};    // written
  std::atomic<std::uint64_t> syncs{0};
};

class FileWriter {
 public:
  FileWriter(const FileSinkOptions& options, dispatch::AsyncSink::Listener& listener,
             WriterCounts& counts);
  ~FileWriter() { close(); }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Any thread.
  void push(std::unique_ptr<dispatch::TableRows> rows);
  // target: one of its own tables, or empty names for the file of statements.
  void push(std::shared_ptr<SharedStatement> statement, const TableName& target);
  // Ends the thread behind the round that it is in.
  void close();

 private:
  struct Item {
    std::unique_ptr<dispatch::TableRows> rows;
    std::shared_ptr<SharedStatement> statement;
    TableName target;
  };
  struct Inbox {
    std::deque<Item> items;
    bool closed = false;
  };
  struct File {
    File(std::string path, const DiskCalls& calls, bool all_marks)
        : lines(std::move(path), calls, all_marks) {}
    LineFile lines;
    std::uint64_t cseq = 0;    // the transaction that is being written,
    std::uint64_t number = 0;  // and how many of its changes came by
  };
  struct Round {
    std::set<File*> dirty;
    std::map<std::uint64_t, std::uint64_t> tickets;  // by stream: the newest
    std::vector<std::shared_ptr<SharedStatement>> statements;
    std::uint64_t changes = 0;
  };

  void run();
  Status write(const Item& item);
  Status write_rows(const dispatch::TableRows& rows);
  Status write_statement(const std::shared_ptr<SharedStatement>& statement,
                         const TableName& target);
  Result<File*> file_of(const TableName& target);
  static LineMark next_mark(File& file, std::uint64_t cseq);
  Status finish_round();

  const FileSinkOptions& options_;
  dispatch::AsyncSink::Listener& listener_;
  WriterCounts& counts_;
  Guarded<Inbox> inbox_;
  std::map<TableName, std::unique_ptr<File>> files_;
  std::size_t open_ = 0;
  Round round_;
  std::thread thread_;
};

}  // namespace wherry::sink
