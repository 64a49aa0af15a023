// Short forms of calls to a storage for tests, and a folder that goes with its test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "storage/storage.h"

namespace wherry::storage {

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

 private:
  std::string path_;
};

template <typename T>
std::string code_of(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(to_string(result.error().code));
}

template <typename T>
std::string what_of(const Result<T>& result) {
  return result.ok() ? "ok" : result.error().what;
}

inline Status put_text(Storage& storage, const std::string& name, std::string_view text,
                       const Limits& limits = {}) {
  const Bytes part = as_bytes(text);
  return storage.put(name, Parts(&part, 1), limits);
}

inline Result<bool> create_text(Storage& storage, const std::string& name, std::string_view text,
                                const Limits& limits = {}) {
  const Bytes part = as_bytes(text);
  return storage.create(name, Parts(&part, 1), limits);
}

// The whole object, or the word for the error.
inline std::string text_of(Storage& storage, const std::string& name, std::uint64_t offset = 0,
                           std::uint64_t bytes = 1 << 20) {
  const Result<std::vector<std::byte>> read = storage.get(name, offset, bytes, {});
  return read.ok() ? std::string(as_text(read.value())) : code_of(read);
}

inline std::vector<std::string> names_in(Storage& storage, const std::string& prefix = "",
                                         const std::string& after = "",
                                         std::size_t count = 10'000) {
  const Result<std::vector<Entry>> listed = storage.list(prefix, after, count, {});
  if (!listed.ok()) return {code_of(listed)};
  std::vector<std::string> names;
  for (const Entry& entry : listed.value()) names.push_back(entry.name);
  return names;
}

inline void remove_all(Storage& storage, const std::vector<std::string>& names) {
  const Status done = storage.remove(names, {});
  EXPECT_EQ(what_of(done), "ok");
}

}  // namespace wherry::storage
