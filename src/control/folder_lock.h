// A folder that one process has at a time. The kernel takes the lock back when the process ends,
// however it ends. One owner.
#pragma once

#include <string>

#include "support/result.h"

namespace wherry::control {

class FolderLock {
 public:
  // Makes the folder where it is missing, for this account alone, and takes the file `lock` in it.
  // Errc::refused: another process has it; the message names it. Errc::usage: it cannot be used.
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& from) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace wherry::control
