// One file of lines that only grows. When it is opened, what a killed process left behind its last
// whole line is cut off, and that line says what is in the file already. Errors name the file. One
// thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <string>

#include "sink/file/json_line.h"

namespace wherry::sink {

// The calls that a disk can fail. Tests put a failing disk in their place.
struct DiskCalls {
  ssize_t (*write)(int file, const void* bytes, std::size_t size) = ::write;
  int (*sync)(int file) = ::fdatasync;
};

class LineFile {
 public:
  // all_marks: its lines are in no order, so each mark is remembered (the file of statements).
  LineFile(std::string path, const DiskCalls& calls, bool all_marks = false)
      : path_(std::move(path)), calls_(calls), all_marks_(all_marks) {}
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile() { release(); }

  // Before anything else, and again after release(): made when it is missing. malformed: its last
  // line is none of ours.
  Status open();
  bool is_open() const { return descriptor_ >= 0; }
  bool holds(const LineMark& mark) const;

  // Where lines are appended; write() at times so that it stays small.
  std::string& buffer() { return buffer_; }
  void note(const LineMark& mark);
  Status write();
  // Everything written is durable, the name of a new file too.
  Status sync();
  // Gives the descriptor back. What was appended must have been written.
  void release();

  const std::string& path() const { return path_; }

 private:
  Status recover();
  Status read_marks(std::uint64_t size);
  Result<std::uint64_t> line_end_before(std::uint64_t end) const;
  Result<std::string> read(std::uint64_t from, std::uint64_t to) const;
  Error failure(std::string_view what) const;

  const std::string path_;
  const DiskCalls calls_;
  const bool all_marks_;
  int descriptor_ = -1;
  bool known_ = false;   // it was opened before: what is in it is known
  bool is_new_ = false;  // its name is not durable yet
  LineMark last_;
  std::set<LineMark> marks_;
  std::string buffer_;
};

// The file of a table in a folder: "db.table.jsonl", with what no file name may hold escaped.
std::string file_name_of(const TableName& table);

}  // namespace wherry::sink
