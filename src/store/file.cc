#include "store/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace wherry::store {
namespace {

Error failed(std::string_view what, const std::string& path) {
  const int number = errno;
  std::array<char, 256> text{};
  return {Errc::io,
          fmt::format("cannot {} {}: {}", what, path, ::strerror_r(number, text.data(), 256))};
}

constexpr std::size_t kPartsMax = 4;

}  // namespace

File::File(int descriptor, std::string path, const FileCalls& calls)
    : descriptor_(descriptor), path_(std::move(path)), calls_(calls) {}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      calls_(other.calls_) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(calls_, other.calls_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<File> File::open_to_read(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed("open", path);
  return File(descriptor, path, {});
}

Result<File> File::open_to_write(const std::string& path, const FileCalls& calls) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return failed("open", path);
  return File(descriptor, path, calls);
}

Result<File> File::create(const std::string& path, const FileCalls& calls) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (descriptor < 0) return failed("create", path);
  return File(descriptor, path, calls);
}

Result<std::size_t> File::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::pread(descriptor_, into.data() + done, into.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", path_);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

Status File::write(std::uint64_t offset, std::span<const Bytes> parts) const {
  std::array<iovec, kPartsMax> rest{};
  if (parts.size() > rest.size()) return Error{Errc::io, "too many parts in one write"};
  for (std::size_t i = 0; i < parts.size(); ++i)
    rest[i] = {const_cast<std::byte*>(parts[i].data()), parts[i].size()};
  std::size_t first = 0;
  while (true) {
    while (first < parts.size() && rest[first].iov_len == 0) ++first;
    if (first == parts.size()) return Unit{};
    const ssize_t count =
        calls_.write(descriptor_, &rest[first], static_cast<int>(parts.size() - first),
                     static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("write", path_);
    auto left = static_cast<std::size_t>(count);
    offset += left;
    for (std::size_t i = first; i < parts.size() && left > 0; ++i) {
      const std::size_t taken = std::min(left, rest[i].iov_len);
      rest[i].iov_base = static_cast<std::byte*>(rest[i].iov_base) + taken;
      rest[i].iov_len -= taken;
      left -= taken;
    }
  }
}

Status File::sync() const {
  // Not tried again: after a failure the system may have dropped the bytes and say nothing more.
  if (calls_.sync(descriptor_) != 0) return failed("sync", path_);
  return Unit{};
}

Status File::truncate(std::uint64_t size) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return failed("truncate", path_);
  return Unit{};
}

Result<std::uint64_t> File::size() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) return failed("look at", path_);
  return static_cast<std::uint64_t>(found.st_size);
}

Result<bool> File::holds(std::uint64_t offset, std::uint64_t bytes) const {
  const Result<std::uint64_t> all = size();
  if (!all.ok()) return all.error();
  return offset <= all.value() && bytes <= all.value() - offset;
}

Status sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("open", folder);
  const int done = ::fsync(descriptor);
  Status status = done == 0 ? Status(Unit{}) : Status(failed("sync", folder));
  ::close(descriptor);
  return status;
}

Status replace_file(const std::string& path, Bytes content, const FileCalls& calls) {
  const std::string fresh = path + ".tmp";
  {
    const Result<File> file = File::create(fresh, calls);
    if (!file.ok()) return file.error();
    Status done = file.value().write(0, std::span(&content, 1));
    if (done.ok()) done = file.value().sync();
    if (!done.ok()) return done;
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed("rename", fresh);
  return sync_folder(std::filesystem::path(path).parent_path().string());
}

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("remove", path);
  return Unit{};
}

}  // namespace wherry::store
