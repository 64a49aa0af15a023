// One file of the log, by descriptor. Errors name the file and what the system said. Movable; reads
// from any thread, the rest from one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/options.h"
#include "support/result.h"

namespace wherry::store {

class File {
 public:
  static Result<File> open_to_read(const std::string& path);
  static Result<File> open_to_write(const std::string& path, const FileCalls& calls);
  // An older file of this name is emptied.
  static Result<File> create(const std::string& path, const FileCalls& calls);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  // Fills the buffer from the offset on; less than its size only where the file ends.
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const;
  Status write(std::uint64_t offset, std::span<const Bytes> parts) const;
  Status sync() const;
  Status truncate(std::uint64_t size) const;
  Result<std::uint64_t> size() const;
  // Whether it has so many bytes from the offset on: asked before memory is taken for a size that
  // stands in the file.
  Result<bool> holds(std::uint64_t offset, std::uint64_t bytes) const;
  const std::string& path() const { return path_; }

 private:
  File(int descriptor, std::string path, const FileCalls& calls);

  int descriptor_;
  std::string path_;
  FileCalls calls_;
};

// After a file was made, renamed or removed in the folder: makes its name durable.
Status sync_folder(const std::string& folder);
// Puts a small file in place as a whole: written beside it, synced, renamed, folder synced.
Status replace_file(const std::string& path, Bytes content, const FileCalls& calls);
Status remove_file(const std::string& path);

}  // namespace wherry::store
