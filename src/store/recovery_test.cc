// A log that was not closed comes back as a prefix; what is damaged is named and never cut off.

#include "store/recovery.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

constexpr std::uint64_t kLast = 10;

Options tiny_options(const std::string& folder) {
  Options options = small_options(folder);
  options.block_bytes = 512;
  options.segment_bytes = 700;
  options.calls.sync = [](int) { return 0; };
  return options;
}

// The files of a log as a killed process leaves them: the last segment has no footer.
void make_unclosed(const std::string& folder) {
  const Folder original;
  const auto log = open_log(tiny_options(original.path()));
  for (std::uint64_t cseq = 1; cseq <= kLast; ++cseq) {
    append_all(*log, cseq, cseq);
    ok(log->sync_to(cseq));  // a block each, so that the last segment has several
  }
  std::filesystem::copy(original.path(), folder, std::filesystem::copy_options::recursive);
}

void make_closed(const std::string& folder) {
  const auto log = open_log(tiny_options(folder));
  append_all(*log, 1, kLast);
}

// Opens the log and lets the scrubber end. Empty: everything is there.
std::string what_is_wrong(const std::string& folder, std::uint64_t last) {
  const Result<std::unique_ptr<Log>> log = Log::open(tiny_options(folder));
  if (!log.ok()) return log.error().what;
  while (log.value()->status().scrub_left > 0) std::this_thread::yield();
  const LogStatus status = log.value()->status();
  if (status.damage) return status.damage->what;
  if (!log.value()->cuts().empty()) return log.value()->cuts().front();
  const Status read = read_checked(*log.value(), 1, std::min(last, status.last_cseq));
  if (!read.ok()) return read.error().what;
  return status.last_cseq == last ? "" : "prefix";
}

std::vector<std::uint64_t> block_edges(const std::string& path) {
  std::vector<std::uint64_t> edges;
  const auto file = File::open_to_read(path);
  std::uint64_t offset = 0;
  EXPECT_TRUE(read_segment_header(file.value(), offset).ok());
  for (BlockReader reader;; offset += framed_bytes(reader.read(file.value(), offset, 0).value())) {
    edges.push_back(offset);
    if (!reader.read(file.value(), offset, 0).ok()) return edges;
  }
}

TEST(StoreRecovery, EveryTruncationOfTheOpenSegmentIsCutToABlock) {
  const Folder folder;
  make_unclosed(folder.path());
  const std::string path = segment_files(folder.path()).back();
  const std::string whole = read_file(path);
  const std::vector<std::uint64_t> edges = block_edges(path);
  ASSERT_GT(edges.size(), 2u);
  for (std::size_t size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const auto recovered = recover(tiny_options(folder.path()));
    if (size < edges.front()) {
      ASSERT_FALSE(recovered.ok()) << size;
      EXPECT_NE(recovered.error().what.find(path), std::string::npos);
      continue;
    }
    ASSERT_TRUE(ok(recovered)) << size;
    const bool at_edge = std::find(edges.begin(), edges.end(), size) != edges.end();
    EXPECT_EQ(recovered.value().cuts.empty(), at_edge) << size;
    EXPECT_EQ(recovered.value().active->footer,
              *std::prev(std::upper_bound(edges.begin(), edges.end(), size)));
    if (!at_edge) {
      EXPECT_NE(recovered.value().cuts.front().find(path), std::string::npos);
    }
  }
}

TEST(StoreRecovery, ATailOfZerosIsTorn) {
  const Folder folder;
  make_unclosed(folder.path());
  const std::string path = segment_files(folder.path()).back();
  const std::string whole = read_file(path);
  const std::vector<std::uint64_t> edges = block_edges(path);
  write_file(path, whole + std::string(5000, '\0'));
  auto recovered = recover(tiny_options(folder.path()));
  EXPECT_EQ(recovered.value().active->footer, edges.back());
  EXPECT_EQ(recovered.value().cuts.size(), 1u);
  write_file(path, whole.substr(0, whole.size() - 9) + std::string(9 + 300, '\0'));
  recovered = recover(tiny_options(folder.path()));
  EXPECT_EQ(recovered.value().active->footer, *std::prev(edges.end(), 2));
  EXPECT_EQ(recovered.value().cuts.size(), 1u);
}

TEST(StoreRecovery, AHalfWrittenFooterIsCutOff) {
  const Folder folder;
  make_closed(folder.path());
  std::filesystem::remove(folder.path() + "/state");
  const std::string path = segment_files(folder.path()).back();
  const std::string whole = read_file(path);
  const auto file = File::open_to_read(path);
  const std::uint64_t footer = read_footer(file.value()).value()->offset;
  for (std::size_t size = whole.size(); size-- > footer;) {
    std::filesystem::resize_file(path, size);
    const auto recovered = recover(tiny_options(folder.path()));
    ASSERT_TRUE(ok(recovered)) << size;
    EXPECT_EQ(recovered.value().tracker.newest().cseq, kLast);
    EXPECT_EQ(recovered.value().cuts.empty(), size == footer);
  }
}

TEST(StoreRecovery, ATruncatedLogThatWasClosedIsAnError) {
  const Folder folder;
  make_closed(folder.path());
  const std::string path = segment_files(folder.path()).back();
  write_file(path, read_file(path).substr(0, block_edges(path).front()));
  const auto log = Log::open(tiny_options(folder.path()));
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, Errc::lost);
  EXPECT_NE(log.error().what.find("10"), std::string::npos) << log.error().what;
}

TEST(StoreRecovery, EveryTruncationOfAnOlderSegmentIsNamed) {
  const Folder folder;
  make_closed(folder.path());
  const std::string path = segment_files(folder.path())[1];
  const std::string whole = read_file(path);
  for (std::size_t size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const auto recovered = recover(tiny_options(folder.path()));
    ASSERT_FALSE(recovered.ok()) << size;
    EXPECT_NE(recovered.error().what.find(path), std::string::npos);
    EXPECT_EQ(read_file(path).size(), size) << "damage must be left as it is";
  }
}

void flip_every_byte(const std::string& folder,
                     void (*check)(const std::string&, const std::string&, std::size_t)) {
  for (const std::string& path : segment_files(folder)) {
    const std::string whole = read_file(path);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      file.seekp(static_cast<std::streamoff>(at)).put(flipped[at]).flush();
      check(folder, path, at);
      EXPECT_EQ(read_file(path), flipped) << "damage must be left as it is";
      file.seekp(static_cast<std::streamoff>(at)).put(whole[at]).flush();
    }
  }
}

TEST(StoreRecovery, EveryFlippedByteIsNamedWithFileAndRange) {
  for (const auto make : {make_unclosed, make_closed}) {
    const Folder folder;
    make(folder.path());
    flip_every_byte(
        folder.path(), [](const std::string& at, const std::string& path, std::size_t i) {
          // Recovery looks at the footers and the newest segment, the scrubber's walk at the rest.
          const auto recovered = recover(tiny_options(at));
          Status found = Unit{};
          if (!recovered.ok()) {
            found = recovered.error();
          } else {
            for (const Segment& segment : recovered.value().sealed) {
              const auto file = File::open_to_read(segment.path);
              SegmentWalk walk(
                  segment, file.value(),
                  PlaceTracker::make(segment.header.dialect, segment.header.before).value());
              Result<bool> more = true;
              while (more.ok() && more.value()) more = walk.next(segment.footer);
              if (!more.ok()) found = more.error();
            }
          }
          ASSERT_FALSE(found.ok()) << path << " " << i;
          EXPECT_NE(found.error().what.find(path), std::string::npos) << found.error().what;
          EXPECT_TRUE(found.error().what.find("byte") != std::string::npos ||
                      found.error().what.find("another source") != std::string::npos ||
                      found.error().what.find("by its header") != std::string::npos)
              << found.error().what;
        });
  }
}

TEST(StoreRecovery, TheScrubberFindsWhatOpeningDoesNotRead) {
  const Folder folder;
  make_closed(folder.path());
  const std::string path = segment_files(folder.path())[1];
  const std::string whole = read_file(path);
  std::string flipped = whole;
  flipped[block_edges(path).front() + 60] ^= 4;
  write_file(path, flipped);
  const std::string wrong = what_is_wrong(folder.path(), kLast);
  EXPECT_NE(wrong.find(path), std::string::npos);
  EXPECT_NE(wrong.find("cseq"), std::string::npos);
  write_file(path, whole);
  EXPECT_EQ(what_is_wrong(folder.path(), kLast), "");
}

TEST(StoreRecovery, AReaderNamesTheDamageItMeets) {
  const Folder folder;
  make_closed(folder.path());
  const std::string path = segment_files(folder.path())[1];
  std::string flipped = read_file(path);
  flipped[block_edges(path)[1] + 60] ^= 4;  // the first block holds definitions
  write_file(path, flipped);
  const auto log = open_log(tiny_options(folder.path()));
  const Status read = read_checked(*log, 1, kLast);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Errc::malformed);
  EXPECT_NE(read.error().what.find(path), std::string::npos);
}

TEST(StoreRecovery, AMissingSegmentIsNamed) {
  const Folder folder;
  make_closed(folder.path());
  const std::string path = segment_files(folder.path())[1];
  std::filesystem::remove(path);
  const auto recovered = recover(tiny_options(folder.path()));
  ASSERT_FALSE(recovered.ok());
  EXPECT_EQ(recovered.error().code, Errc::lost);
  EXPECT_NE(recovered.error().what.find(path), std::string::npos);
}

TEST(StoreRecovery, AnUnfinishedTransactionOverSegmentsIsCutOff) {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {  // dies inside a transaction: nothing is closed
    const auto log = open_log(tiny_options(folder.path()));
    append_all(*log, 1, 10);
    Status done = log->writer().begin(11);
    for (int row = 0; done.ok() && row < 300; ++row)
      done = log->writer().add(row_event("a row without an end"));
    while (done.ok() && log->status().segments < 5) std::this_thread::yield();
    if (!done.ok()) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WTERMSIG(status), SIGKILL) << "the log refused something";
  const auto log = open_log(tiny_options(folder.path()));
  EXPECT_EQ(log->status().last_cseq, 10u);
  EXPECT_FALSE(log->cuts().empty());
  append_all(*log, 11, 30);
  ok(read_checked(*log, 1, 30));
}

}  // namespace
}  // namespace wherry::store
