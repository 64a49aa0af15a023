// A folder of one test, removed with all that is in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace wherry::control {

class FolderForTests {
 public:
  FolderForTests() : path_((std::filesystem::temp_directory_path() / "wherry-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~FolderForTests() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FolderForTests(const FolderForTests&) = delete;
  FolderForTests& operator=(const FolderForTests&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace wherry::control
