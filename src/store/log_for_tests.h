// A log in a folder of its own, small enough that a test sees blocks, chunks and segments end; and
// transactions whose every byte follows from their number. For tests only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "store/log.h"

namespace wherry::store {

inline constexpr std::string_view kUuid = "11111111-2222-3333-4444-555555555555";
inline constexpr std::chrono::milliseconds kLong{60'000};
inline constexpr std::chrono::milliseconds kNow{0};

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "store_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline Options small_options(const std::string& folder) {
  Options options;
  options.folder = folder;
  options.identity = "source-a";
  options.begin.file = {"binlog.000001", 4};
  options.block_bytes = 1024;
  options.tail_bytes = 8 << 10;
  options.segment_bytes = 4 << 10;
  options.sync_interval = std::chrono::hours(1);  // on request only
  return options;
}

inline std::unique_ptr<Log> open_log(const Options& options) {
  Result<std::unique_ptr<Log>> log = Log::open(options);
  if (log.ok()) return std::move(log).value();
  ADD_FAILURE() << log.error().what;
  return nullptr;
}

// What must hold, with the error's text where it does not.
template <typename R>
bool ok(const R& result) {
  if (!result.ok()) ADD_FAILURE() << result.error().what;
  return result.ok();
}

inline std::size_t rows_of(std::uint64_t cseq) { return cseq % 4; }
inline std::string row_text(std::uint64_t cseq, std::size_t row) {
  return fmt::format("row {} of {}:", row, cseq) + std::string((cseq * 7 + row * 13) % 90, 'x');
}
// Borrows the text.
inline Event row_event(std::string_view text, std::uint64_t version = 1) {
  Event event;
  event.type = 30;
  event.flags = 1;
  event.timestamp = 1'700'000'000;
  event.server_id = 7;
  event.table_version = version;
  event.body = as_bytes(text);
  return event;
}
inline Commit commit_of(std::uint64_t cseq) {
  Commit commit;
  commit.cseq = cseq;
  commit.commit_us = 1'000'000 + cseq * 10;
  commit.generation = 1;
  commit.file = cseq < 40 ? "binlog.000001" : "binlog.000002";
  commit.end_offset = cseq * 100;
  commit.gtid_source = kUuid;
  commit.gtid_number = cseq;
  return commit;
}

// One transaction of rows_of(cseq) events; not published.
inline Status append(Writer& writer, std::uint64_t cseq) {
  Status done = writer.define(1, as_bytes("table one"));
  if (done.ok()) done = writer.begin(cseq);
  for (std::size_t row = 0; done.ok() && row < rows_of(cseq); ++row)
    done = writer.add(row_event(row_text(cseq, row)));
  return done.ok() ? writer.commit(commit_of(cseq)) : done;
}
inline void append_all(Log& log, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t cseq = first; cseq <= last; ++cseq) {
    ASSERT_TRUE(ok(append(log.writer(), cseq))) << cseq;
    ASSERT_TRUE(ok(log.writer().publish())) << cseq;
  }
}

// Reads from the point to the last transaction and checks every byte.
inline Status read_checked(Cursor& cursor, std::uint64_t last) {
  std::uint64_t row = cursor.point().row;
  for (std::uint64_t cseq = cursor.point().cseq; cseq <= last;) {
    const Result<Cursor::Step> step = cursor.next(kLong);
    if (!step.ok()) return step.error();
    if (step.value() == Cursor::Step::event) {
      EXPECT_EQ(as_text(cursor.event().body), row_text(cseq, row)) << cseq;
      EXPECT_EQ(cursor.first_row(), row);
      EXPECT_EQ(cursor.event().table_version, 1u);
      EXPECT_EQ(cursor.event().server_id, 7u);
      ++row;
      continue;
    }
    if (step.value() == Cursor::Step::nothing) return Error{Errc::timeout, "nothing came"};
    EXPECT_EQ(row, rows_of(cseq)) << cseq;
    EXPECT_EQ(cursor.commit().cseq, cseq);
    EXPECT_EQ(cursor.commit().end_offset, cseq * 100);
    EXPECT_EQ(cursor.commit().gtid_source, kUuid);
    row = 0;
    ++cseq;
  }
  return Unit{};
}
inline Status read_checked(Log& log, std::uint64_t first, std::uint64_t last) {
  return read_checked(*log.cursor({first, 0}), last);
}

inline std::vector<std::string> segment_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".seg") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}
inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace wherry::store
