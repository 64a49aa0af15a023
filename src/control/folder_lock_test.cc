#include "control/folder_lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "control/folder_for_tests.h"

namespace wherry::control {
namespace {

TEST(FolderLock, MakesAFolderForThisAccountAlone) {
  const FolderForTests base;
  const std::string folder = base.file("a/b");
  const mode_t before = ::umask(0);
  const Result<FolderLock> lock = FolderLock::take(folder);
  ::umask(before);
  ASSERT_TRUE(lock.ok()) << lock.error().what;
  struct stat found {};
  ASSERT_EQ(::stat(folder.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
}

TEST(FolderLock, IsHeldByOneAndNamesIt) {
  const FolderForTests folder;
  std::optional<Result<FolderLock>> first(FolderLock::take(folder.path()));
  ASSERT_TRUE(first->ok());
  const Result<FolderLock> second = FolderLock::take(folder.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Errc::refused);
  EXPECT_NE(second.error().what.find(std::to_string(::getpid())), std::string::npos);
  EXPECT_NE(second.error().what.find(folder.path()), std::string::npos);
  first.reset();
  EXPECT_TRUE(FolderLock::take(folder.path()).ok());
}

TEST(FolderLock, AFolderThatCannotBeMadeIsAnError) {
  const Result<FolderLock> lock = FolderLock::take("/proc/nothing/here");
  ASSERT_FALSE(lock.ok());
  EXPECT_EQ(lock.error().code, Errc::usage);
}

}  // namespace
}  // namespace wherry::control
