// Objects as files below one folder. A file appears whole and durable or not at all: it is written
// and synced under a name that is never listed, then renamed or linked into place, then the folder
// is synced. A killed process leaves such names behind and nothing else; while one lives it holds a
// lock of each (flock), so that a sweep knows. A call ends when the disk has done it or a stop is
// asked; time limits are not heeded. Any thread, any process.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "storage/storage.h"

namespace wherry::storage {

// The calls that make a file durable; tests let them fail.
struct DiskCalls {
  int (*sync)(int file) = ::fsync;
  int (*rename)(const char* from, const char* to) = std::rename;
  int (*link)(const char* from, const char* to) = ::link;
};

class FileStorage : public Storage {
 public:
  // The folder is made by the first object.
  explicit FileStorage(const std::string& folder, const DiskCalls& calls = {});

  Status put(const std::string& name, Parts parts, const Limits& limits) override;
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override;
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const Limits& limits) override;
  Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                  std::size_t count, const Limits& limits) override;
  Status remove(std::span<const std::string> names, const Limits& limits) override;
  Status sweep(const std::string& prefix, const Limits& limits) override;
  std::string describe() const override { return "file://" + folder_; }

 private:
  class Aside;
  Result<Aside> open_aside(const std::string& path);
  Result<Aside> write_aside(const std::string& path, Parts parts, const Limits& limits);
  Status make_folder(const std::string& folder) const;
  Status sync_folder(const std::string& folder) const;
  void remove_empty_folders(std::string folder) const;

  const std::string folder_;  // without a slash at its end
  const DiskCalls calls_;
  std::atomic<std::uint64_t> next_;  // makes names of files aside
};

}  // namespace wherry::storage
