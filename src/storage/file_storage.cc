#include "storage/file_storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <set>
#include <utility>

#include "storage/folder_walk.h"
#include "storage/object_name.h"
#include "storage/waiting.h"

namespace wherry::storage {
namespace {

// Names of processes on several machines must differ, also of those that have one process id.
std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// Between two looks at the stop token.
constexpr std::size_t kPieceBytes = 4 << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  const int number_;
};

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status write_all(int file, Parts parts, const std::string& path, const Limits& limits) {
  for (Bytes part : parts) {
    while (!part.empty()) {
      if (limits.stop.stop_requested()) return interrupted();
      const ssize_t count = ::write(file, part.data(), std::min(part.size(), kPieceBytes));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return disk_error("write", path);
      part = part.subspan(static_cast<std::size_t>(count));
    }
  }
  return Unit{};
}

Error in_the_way(const std::string& path) {
  return {Errc::unsupported,
          fmt::format("cannot put {} in place: a folder of that name, or a file where a folder "
                      "must be, is in the way",
                      path)};
}

Error placing_error(std::string_view what, const std::string& path) {
  if (errno == EISDIR || errno == ENOTDIR || errno == ENOTEMPTY) return in_the_way(path);
  return disk_error(what, path);
}

}  // namespace

FileStorage::FileStorage(const std::string& folder, const DiskCalls& calls)
    : folder_(without_slashes(folder)), calls_(calls), next_(random_number()) {}

Status FileStorage::sync_folder(const std::string& folder) const {
  const Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.get() < 0) return disk_error("open", folder);
  if (calls_.sync(open.get()) != 0) return disk_error("sync", folder);
  return Unit{};
}

// Each new folder is made durable in the one above it.
Status FileStorage::make_folder(const std::string& folder) const {
  if (::mkdir(folder.c_str(), 0750) == 0) return sync_folder(parent(folder));
  if (errno == EEXIST) return Unit{};
  if (errno == ENOTDIR) return in_the_way(folder);
  if (errno != ENOENT || folder == "/") return disk_error("make the folder", folder);
  if (Status above = make_folder(parent(folder)); !above.ok()) return above;
  if (::mkdir(folder.c_str(), 0750) == 0) return sync_folder(parent(folder));
  if (errno == EEXIST || errno == ENOENT) return Unit{};  // the caller tries again
  return disk_error("make the folder", folder);
}

// The path of a durable file with this content that nobody lists.
Result<std::string> FileStorage::write_aside(const std::string& path, Parts parts,
                                             const Limits& limits) {
  const std::string folder = parent(path);
  const std::string aside = fmt::format("{}/{}{:x}-{}", folder, kOwnMark, ++next_,
                                        path.substr(folder == "/" ? 1 : folder.size() + 1));
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int number = ::open(aside.c_str(), kHow, 0640);
  // A remove may take the folder away as soon as it is empty.
  for (int tries = 0; number < 0 && errno == ENOENT && tries < 10; ++tries) {
    if (Status made = make_folder(folder); !made.ok()) return made.error();
    number = ::open(aside.c_str(), kHow, 0640);
  }
  const Descriptor file(number);
  if (file.get() < 0) return placing_error("create", aside);
  Status written = write_all(file.get(), parts, aside, limits);
  if (written.ok() && calls_.sync(file.get()) != 0) written = disk_error("sync", aside);
  if (written.ok()) return aside;
  ::unlink(aside.c_str());
  return written.error();
}

Status FileStorage::put(const std::string& name, Parts parts, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named;
  const std::string path = folder_ + "/" + name;
  const Result<std::string> aside = write_aside(path, parts, limits);
  if (!aside.ok()) return aside.error();
  if (calls_.rename(aside.value().c_str(), path.c_str()) != 0) {
    const Error why = placing_error("rename", path);
    ::unlink(aside.value().c_str());
    return why;
  }
  return sync_folder(parent(path));
}

Result<bool> FileStorage::create(const std::string& name, Parts parts, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named.error();
  const std::string path = folder_ + "/" + name;
  const Result<std::string> aside = write_aside(path, parts, limits);
  if (!aside.ok()) return aside.error();
  const int linked = calls_.link(aside.value().c_str(), path.c_str());
  int number = linked == 0 ? 0 : errno;
  // A server of NFS that answers twice says the second time that there is such a file: ours.
  struct stat made {};
  if (number == EEXIST && ::stat(aside.value().c_str(), &made) == 0 && made.st_nlink > 1)
    number = 0;
  ::unlink(aside.value().c_str());
  errno = number;
  if (number == EEXIST) return false;
  if (number == EPERM || number == EOPNOTSUPP || number == EMLINK)
    return Error{Errc::unsupported, folder_ + ": this file system has no hard links"};
  if (number != 0) return placing_error("link", path);
  if (Status durable = sync_folder(parent(path)); !durable.ok()) return durable.error();
  return true;
}

Result<std::vector<std::byte>> FileStorage::get(const std::string& name, std::uint64_t offset,
                                                std::uint64_t bytes, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named.error();
  const std::string path = folder_ + "/" + name;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  const bool there = file.get() >= 0 && ::fstat(file.get(), &found) == 0;
  if (!there && errno != ENOENT && errno != ENOTDIR) return disk_error("open", path);
  if (!there || !S_ISREG(found.st_mode)) return Error{Errc::lost, "there is no " + path};
  const auto size = static_cast<std::uint64_t>(found.st_size);
  std::vector<std::byte> content(offset < size ? std::min(bytes, size - offset) : 0);
  std::size_t done = 0;
  while (done < content.size()) {
    if (limits.stop.stop_requested()) return interrupted();
    const ssize_t count =
        ::pread(file.get(), content.data() + done, std::min(content.size() - done, kPieceBytes),
                static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return disk_error("read", path);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  content.resize(done);
  return content;
}

Result<std::vector<Entry>> FileStorage::list(const std::string& prefix, const std::string& after,
                                             std::size_t count, const Limits& limits) {
  if (Status named = check_prefix(prefix); !named.ok()) return named.error();
  return walk_folder(folder_, {prefix, after, count}, limits);
}

Status FileStorage::remove(std::span<const std::string> names, const Limits& limits) {
  if (Status named = check_names(names); !named.ok()) return named;
  std::set<std::string> touched;
  for (const std::string& name : names) {
    if (limits.stop.stop_requested()) return interrupted();
    const std::string path = folder_ + "/" + name;
    if (::unlink(path.c_str()) == 0) {
      touched.insert(parent(path));
    } else if (errno != ENOENT && errno != ENOTDIR && errno != EISDIR) {
      return disk_error("remove", path);
    }
  }
  for (const std::string& folder : touched) {
    // Gone: another remove found it empty.
    if (::access(folder.c_str(), F_OK) != 0) continue;
    if (Status durable = sync_folder(folder); !durable.ok()) return durable;
  }
  for (const std::string& folder : touched) remove_empty_folders(folder);
  return Unit{};
}

// Not made durable: an empty folder means nothing.
void FileStorage::remove_empty_folders(std::string folder) const {
  while (folder.size() > folder_.size() && ::rmdir(folder.c_str()) == 0) folder = parent(folder);
}

}  // namespace wherry::storage
