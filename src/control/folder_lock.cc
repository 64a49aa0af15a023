#include "control/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace wherry::control {
namespace {

Error cannot(std::string_view step, const std::string& path, int error) {
  return {Errc::usage,
          fmt::format("cannot {} {}: {}", step, path,
                      std::error_code(error, std::generic_category()).message()),
          0};
}

// Who wrote its number into the file: " (process 123)", or nothing.
std::string holder(int file) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  std::string_view number(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  number = number.substr(0, number.find_first_not_of("0123456789"));
  return number.empty() ? "" : fmt::format(" (process {})", number);
}

}  // namespace

FolderLock::FolderLock(FolderLock&& from) noexcept : file_(std::exchange(from.file_, -1)) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
  std::error_code failed;
  const bool made = std::filesystem::create_directories(folder, failed);
  if (failed) return cannot("make the folder", folder, failed.value());
  if (made && ::chmod(folder.c_str(), S_IRWXU) != 0) return cannot("protect", folder, errno);
  const std::string path = (std::filesystem::path(folder) / "lock").string();
  FolderLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (lock.file_ < 0) return cannot("open", path, errno);
  if (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return cannot("lock", path, errno);
    return Error{Errc::refused,
                 fmt::format("another wherry serve{} uses {}; stop it, or give this one a folder "
                             "of its own",
                             holder(lock.file_), folder),
                 0};
  }
  const std::string number = fmt::format("{}\n", ::getpid());
  const bool noted =
      ::ftruncate(lock.file_, 0) == 0 &&
      ::pwrite(lock.file_, number.data(), number.size(), 0) == static_cast<ssize_t>(number.size());
  if (!noted) return cannot("write", path, errno);
  return lock;
}

}  // namespace wherry::control
