#include "storage/file_storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <set>
#include <system_error>
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
  Descriptor(Descriptor&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return number_; }

 private:
  int number_;
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

// A file that nobody lists, locked until it is let go: to a sweep its writer lives. Whoever has not
// moved it away by then removes it.
class FileStorage::Aside {
 public:
  Aside(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Aside(Aside&& from) noexcept
      : path_(std::exchange(from.path_, {})), file_(std::move(from.file_)) {}
  ~Aside() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  Aside& operator=(Aside&&) = delete;

  const std::string& path() const { return path_; }
  int file() const { return file_.get(); }
  void moved() { path_.clear(); }

 private:
  std::string path_;
  Descriptor file_;
};

Result<FileStorage::Aside> FileStorage::open_aside(const std::string& path) {
  const std::string folder = parent(path);
  constexpr int kTries = 10;
  for (int tries = 1;; ++tries) {
    const std::string name = fmt::format("{}/{}{:x}-{}", folder, kOwnMark, ++next_,
                                         path.substr(folder == "/" ? 1 : folder.size() + 1));
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
    if (file.get() < 0) {
      // A remove may take the folder away as soon as it is empty.
      if (errno != ENOENT || tries == kTries) return placing_error("create", name);
      if (Status made = make_folder(folder); !made.ok()) return made.error();
      continue;
    }
    // A file system without locks: then a sweep gets none either, and leaves all as it is.
    struct stat made {};
    const bool swept =
        ::flock(file.get(), LOCK_EX) == 0 && ::fstat(file.get(), &made) == 0 && made.st_nlink == 0;
    if (!swept) return Aside(name, std::move(file));
  }
}

Result<FileStorage::Aside> FileStorage::write_aside(const std::string& path, Parts parts,
                                                    const Limits& limits) {
  Result<Aside> aside = open_aside(path);
  if (!aside.ok()) return aside;
  const int file = aside.value().file();
  if (Status written = write_all(file, parts, aside.value().path(), limits); !written.ok())
    return written.error();
  if (calls_.sync(file) != 0) return disk_error("sync", aside.value().path());
  return aside;
}

Status FileStorage::put(const std::string& name, Parts parts, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named;
  const std::string path = folder_ + "/" + name;
  Result<Aside> aside = write_aside(path, parts, limits);
  if (!aside.ok()) return aside.error();
  if (calls_.rename(aside.value().path().c_str(), path.c_str()) != 0)
    return placing_error("rename", path);
  aside.value().moved();
  return sync_folder(parent(path));
}

Result<bool> FileStorage::create(const std::string& name, Parts parts, const Limits& limits) {
  if (Status named = check_name(name); !named.ok()) return named.error();
  const std::string path = folder_ + "/" + name;
  int number = 0;
  {
    const Result<Aside> aside = write_aside(path, parts, limits);
    if (!aside.ok()) return aside.error();
    if (calls_.link(aside.value().path().c_str(), path.c_str()) != 0) number = errno;
    // A server of NFS that answers twice says the second time that there is such a file: ours.
    struct stat made {};
    if (number == EEXIST && ::fstat(aside.value().file(), &made) == 0 && made.st_nlink > 1)
      number = 0;
  }
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

// Only what nobody has a lock of: a writer that lives holds it until the file is in place.
Status FileStorage::sweep(const std::string& prefix, const Limits& limits) {
  if (Status named = check_prefix(prefix); !named.ok()) return named;
  const std::string top = folder_ + "/" + prefix.substr(0, prefix.rfind('/') + 1);
  std::error_code error;
  std::vector<std::string> left;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk at(top, error); !error && at != Walk(); at.increment(error)) {
    if (limits.stop.stop_requested()) return interrupted();
    const std::string& path = at->path().native();
    if (at->path().filename().native().starts_with(kOwnMark) &&
        path.starts_with(folder_ + "/" + prefix))
      left.push_back(path);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return Error{Errc::io, fmt::format("sweep {}: {}", top, error.message())};
  for (const std::string& path : left) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.get() < 0 || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::unlink(path.c_str()) == 0) remove_empty_folders(parent(path));
  }
  return Unit{};
}

// Not made durable: an empty folder means nothing.
void FileStorage::remove_empty_folders(std::string folder) const {
  while (folder.size() > folder_.size() && ::rmdir(folder.c_str()) == 0) folder = parent(folder);
}

}  // namespace wherry::storage
