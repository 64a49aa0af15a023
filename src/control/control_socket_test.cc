#include "control/control_socket.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace wherry::control {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, gone with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "wherry-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* name) const { return (fs::path(path_) / name).string(); }

 private:
  std::string path_;
};

TEST(ControlSocket, IsForItsOwnerAlone) {
  const Folder folder;
  const Result<ControlSocket> made = ControlSocket::open(folder / "state");
  ASSERT_TRUE(made.ok()) << made.error().what;
  struct stat file {};
  ASSERT_EQ(::stat(made.value().path().c_str(), &file), 0);
  EXPECT_TRUE(S_ISSOCK(file.st_mode));
  EXPECT_EQ(file.st_mode & 07777, 0600);
}

TEST(ControlSocket, RefusesAFolderInUseAndSaysWhoIsAsked) {
  const Folder folder;
  const Result<ControlSocket> first = ControlSocket::open(folder / "state");
  ASSERT_TRUE(first.ok());
  const Result<ControlSocket> second = ControlSocket::open(folder / "state");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Errc::refused);
  EXPECT_NE(second.error().what.find(first.value().path()), std::string::npos);
  EXPECT_TRUE(fs::exists(first.value().path()));
}

TEST(ControlSocket, ReplacesTheSocketOfARunThatIsGone) {
  const Folder folder;
  std::string path;
  {
    Result<ControlSocket> killed = ControlSocket::open(folder / "state");
    ASSERT_TRUE(killed.ok());
    path = killed.value().path();
    fs::create_hard_link(path, folder / "kept");
  }
  EXPECT_FALSE(fs::exists(path));
  fs::rename(folder / "kept", path);  // as after kill -9
  const Result<ControlSocket> next = ControlSocket::open(folder / "state");
  EXPECT_TRUE(next.ok()) << next.error().what;
}

TEST(ControlSocket, LeavesWhatIsNoSocket) {
  const Folder folder;
  fs::create_directory(folder / "state");
  std::ofstream(folder / "state/control.sock") << "mine";
  const Result<ControlSocket> refused = ControlSocket::open(folder / "state");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_EQ(fs::file_size(folder / "state/control.sock"), 4U);
}

TEST(ControlSocket, NamesAPathThatIsTooLong) {
  const Folder folder;
  const Result<ControlSocket> refused = ControlSocket::open(folder / std::string(120, 'x').c_str());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::usage);
  EXPECT_NE(refused.error().what.find("107"), std::string::npos);
}

TEST(ControlSocket, NamesAFolderThatCannotBeMade) {
  const Folder folder;
  std::ofstream(folder / "file") << "x";
  const Result<ControlSocket> refused = ControlSocket::open(folder / "file/state");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::usage);
  EXPECT_NE(refused.error().what.find("file/state"), std::string::npos);
}

}  // namespace
}  // namespace wherry::control
