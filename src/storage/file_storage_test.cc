// Files appear whole and durable, or not at all, whatever fails or is killed in between.

#include "storage/file_storage.h"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "storage/object_name.h"
#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using Names = std::vector<std::string>;

// What was called since a test began, and which call fails.
std::vector<std::string> calls;
int fail_at = -1;

int seen(const std::string& what) {
  calls.push_back(what);
  if (static_cast<int>(calls.size()) - 1 != fail_at) return 0;
  errno = EIO;
  return -1;
}

int watched_sync(int file) {
  struct stat found {};
  ::fstat(file, &found);
  const int fails = seen(S_ISDIR(found.st_mode) ? "sync folder" : "sync file");
  return fails != 0 ? fails : ::fsync(file);
}
int watched_rename(const char* from, const char* to) {
  const int fails = seen("rename");
  return fails != 0 ? fails : std::rename(from, to);
}
int watched_link(const char* from, const char* to) {
  const int fails = seen("link");
  return fails != 0 ? fails : ::link(from, to);
}
int twice_answered_link(const char* from, const char* to) {
  if (::link(from, to) == 0) errno = EEXIST;
  return -1;
}
int no_links(const char*, const char*) {
  errno = EPERM;
  return -1;
}

class FileStorageTest : public testing::Test {
 protected:
  void SetUp() override { expect_calls({}); }

  void expect_calls(const Names& wanted) {
    EXPECT_EQ(calls, wanted);
    calls.clear();
    fail_at = -1;
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) ++count;
    return count;
  }

  const FolderForTests folder_;
  FileStorage storage_{folder_.path(), {watched_sync, watched_rename, watched_link}};
};

TEST_F(FileStorageTest, EachStepIsDurableBeforeTheNext) {
  EXPECT_EQ(what_of(put_text(storage_, "a/b/c", "x")), "ok");
  expect_calls({"sync folder", "sync folder", "sync file", "rename", "sync folder"});
  EXPECT_EQ(what_of(put_text(storage_, "a/b/d", "x")), "ok");
  expect_calls({"sync file", "rename", "sync folder"});
  EXPECT_EQ(what_of(create_text(storage_, "a/b/e", "x")), "ok");
  expect_calls({"sync file", "link", "sync folder"});
  const Names gone{"a/b/c", "a/b/d"};
  EXPECT_EQ(what_of(storage_.remove(gone, {})), "ok");
  expect_calls({"sync folder"});
}

TEST_F(FileStorageTest, AFailureLeavesTheOldObjectOrTheNew) {
  EXPECT_EQ(what_of(put_text(storage_, "a", "old")), "ok");
  calls.clear();
  for (const int step : {0, 1, 2}) {
    fail_at = step;
    EXPECT_EQ(code_of(put_text(storage_, "a", "new")), "io") << step;
    EXPECT_EQ(text_of(storage_, "a"), step < 2 ? "old" : "new") << step;
    EXPECT_EQ(files(), 1u) << step;
    calls.clear();
  }
  for (const int step : {0, 1, 2}) {
    fail_at = step;
    EXPECT_EQ(code_of(create_text(storage_, "b", "new")), "io") << step;
    EXPECT_EQ(text_of(storage_, "b"), step < 2 ? "lost" : "new") << step;
    calls.clear();
  }
  fail_at = -1;
}

TEST_F(FileStorageTest, LeftoversAreNeverListedNorInTheWay) {
  EXPECT_EQ(what_of(put_text(storage_, "a/b", "x")), "ok");
  const std::string left = folder_.path() + "/a/" + std::string(kOwnMark);
  std::ofstream(left + "17-b") << "half";
  std::ofstream(folder_.path() + "/a/foreign name") << "half";
  EXPECT_EQ(names_in(storage_), Names{"a/b"});
  EXPECT_EQ(what_of(storage_.remove(Names{"a/b"}, {})), "ok");
  EXPECT_EQ(names_in(storage_), Names{});
  EXPECT_EQ(what_of(put_text(storage_, "a/b", "y")), "ok");
  calls.clear();
}

// What sweeps while another writer is between its file aside and the rename.
FileStorage* sweeper = nullptr;
int swept_rename(const char* from, const char* to) {
  EXPECT_EQ(what_of(sweeper->sweep("", {})), "ok");
  return std::rename(from, to);
}
int swept_sync(int file) {
  EXPECT_EQ(what_of(sweeper->sweep("", {})), "ok");
  return ::fsync(file);
}
int swept_link(const char* from, const char* to) {
  EXPECT_EQ(what_of(sweeper->sweep("", {})), "ok");
  return ::link(from, to);
}

TEST_F(FileStorageTest, ASweepTakesWhatKilledWritersLeftAndNothingOfTheLiving) {
  const std::string mark(kOwnMark);
  EXPECT_EQ(what_of(put_text(storage_, "feed/1/a", "x")), "ok");
  EXPECT_EQ(what_of(put_text(storage_, "feeds/a", "x")), "ok");
  std::filesystem::create_directory(folder_.path() + "/feed/2");
  for (const char* const where : {"/feed/", "/feed/1/", "/feed/2/", "/feeds/"})
    std::ofstream(folder_.path() + where + mark + "17-b") << "half";
  std::ofstream(folder_.path() + "/feed/foreign name") << "whole";
  EXPECT_EQ(files(), 7u);
  EXPECT_EQ(what_of(storage_.sweep("feed/", {})), "ok");
  EXPECT_EQ(files(), 4u);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/feeds/" + mark + "17-b"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/feed/2"));
  EXPECT_EQ(what_of(storage_.sweep("none/", {})), "ok");

  sweeper = &storage_;
  FileStorage writer(folder_.path(), {swept_sync, swept_rename, swept_link});
  EXPECT_EQ(what_of(put_text(writer, "feed/1/b", "y")), "ok");
  EXPECT_EQ(what_of(create_text(writer, "feed/1/c", "z")), "ok");
  EXPECT_EQ(text_of(storage_, "feed/1/b") + text_of(storage_, "feed/1/c"), "yz");
  EXPECT_EQ(files(), 5u);
  calls.clear();
}

TEST_F(FileStorageTest, EmptyFoldersGoWithTheirLastObject) {
  EXPECT_EQ(what_of(put_text(storage_, "feed/1/a", "x")), "ok");
  EXPECT_EQ(what_of(put_text(storage_, "feed/2/a", "x")), "ok");
  EXPECT_EQ(what_of(storage_.remove(Names{"feed/1/a"}, {})), "ok");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/feed/1"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/feed/2"));
  EXPECT_EQ(what_of(storage_.remove(Names{"feed/2/a"}, {})), "ok");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/feed"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path()));
  calls.clear();
}

TEST_F(FileStorageTest, AFolderInTheWayNeedsSomebody) {
  EXPECT_EQ(what_of(put_text(storage_, "a/b", "x")), "ok");
  EXPECT_EQ(code_of(put_text(storage_, "a", "x")), "unsupported");
  EXPECT_EQ(code_of(put_text(storage_, "a/b/c", "x")), "unsupported");
  EXPECT_EQ(text_of(storage_, "a"), "lost");
  EXPECT_EQ(names_in(storage_), Names{"a/b"});
  EXPECT_EQ(files(), 1u);
  calls.clear();
}

TEST_F(FileStorageTest, WithoutLinksNobodyCreates) {
  FileStorage storage(folder_.path(), {watched_sync, watched_rename, no_links});
  EXPECT_EQ(code_of(create_text(storage, "a", "x")), "unsupported");
  EXPECT_EQ(files(), 0u);
  calls.clear();
}

TEST_F(FileStorageTest, ALinkThatIsAnsweredTwiceIsOurs) {
  FileStorage storage(folder_.path(), {watched_sync, watched_rename, twice_answered_link});
  const Result<bool> first = create_text(storage, "a", "x");
  EXPECT_TRUE(first.ok() && first.value());
  const Result<bool> second = create_text(storage, "a", "y");
  EXPECT_TRUE(second.ok() && !second.value());
  EXPECT_EQ(text_of(storage, "a"), "x");
  EXPECT_EQ(files(), 1u);
  calls.clear();
}

TEST_F(FileStorageTest, AMissingFolderHoldsNothing) {
  FileStorage storage(folder_.path() + "/not/there/");
  EXPECT_EQ(names_in(storage), Names{});
  EXPECT_EQ(text_of(storage, "a"), "lost");
  EXPECT_EQ(what_of(storage.remove(Names{"a"}, {})), "ok");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/not"));
  EXPECT_EQ(what_of(put_text(storage, "a", "x")), "ok");
  EXPECT_EQ(text_of(storage, "a"), "x");
  EXPECT_EQ(storage.describe(), "file://" + folder_.path() + "/not/there");
}

}  // namespace
}  // namespace wherry::storage
