#include "storage/folder_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "storage/object_name.h"
#include "storage/waiting.h"

namespace wherry::storage {
namespace {

// Deeper than any name that check_name() lets through.
constexpr std::size_t kDepthMax = 360;

struct Child {
  std::string name;  // a folder's ends in '/', so that children sort as the names below them do
  std::uint64_t bytes = 0;
};

class Walk {
 public:
  Walk(const WalkRange& range, const Limits& limits) : range_(range), limits_(limits) {}

  Status visit(const std::string& folder, const std::string& above, std::size_t depth);
  std::vector<Entry> take() { return std::move(found_); }

 private:
  static Result<std::vector<Child>> children(const std::string& folder);
  static std::optional<Child> look_at(int folder, const dirent& entry);
  bool full() const { return found_.size() >= range_.count; }
  bool below_may_match(const std::string& start) const;

  const WalkRange& range_;
  const Limits& limits_;
  std::vector<Entry> found_;
};

std::optional<Child> Walk::look_at(int folder, const dirent& entry) {
  const std::string_view name = entry.d_name;
  if (!check_name(name).ok()) return std::nullopt;
  struct stat found {};
  if (::fstatat(folder, entry.d_name, &found, 0) != 0) return std::nullopt;  // removed meanwhile
  if (S_ISDIR(found.st_mode)) return Child{std::string(name) + "/", 0};
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  return Child{std::string(name), static_cast<std::uint64_t>(found.st_size)};
}

Result<std::vector<Child>> Walk::children(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  std::vector<Child> all;
  if (open == nullptr) {
    if (errno == ENOENT) return all;
    return disk_error("list", folder);
  }
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    std::optional<Child> child = look_at(::dirfd(open.get()), *entry);
    if (child) all.push_back(std::move(*child));
  }
  if (errno != 0) return disk_error("list", folder);
  std::sort(all.begin(), all.end(), [](const Child& a, const Child& b) { return a.name < b.name; });
  return all;
}

// Whether a name that begins so can be in the range.
bool Walk::below_may_match(const std::string& start) const {
  const bool in_prefix = start.starts_with(range_.prefix) || range_.prefix.starts_with(start);
  return in_prefix && (start > range_.after || range_.after.starts_with(start));
}

Status Walk::visit(const std::string& folder, const std::string& above, std::size_t depth) {
  if (depth > kDepthMax) return Unit{};
  if (limits_.stop.stop_requested()) return interrupted();
  const Result<std::vector<Child>> all = children(folder);
  if (!all.ok()) return all.error();
  for (const Child& child : all.value()) {
    if (full()) return Unit{};
    const std::string name = above + child.name;
    if (child.name.ends_with('/')) {
      if (!below_may_match(name)) continue;
      const std::string below = folder + "/" + child.name.substr(0, child.name.size() - 1);
      if (Status done = visit(below, name, depth + 1); !done.ok()) return done;
    } else if (name > range_.after && name.starts_with(range_.prefix)) {
      found_.push_back({name, child.bytes});
    }
  }
  return Unit{};
}

}  // namespace

Error disk_error(std::string_view what, const std::string& path) {
  const int number = errno;
  std::array<char, 256> text{};
  const bool no_right = number == EACCES || number == EPERM || number == EROFS;
  return {
      no_right ? Errc::refused : Errc::io,
      fmt::format("cannot {} {}: {}", what, path, ::strerror_r(number, text.data(), text.size()))};
}

Result<std::vector<Entry>> walk_folder(const std::string& folder, const WalkRange& range,
                                       const Limits& limits) {
  Walk walk(range, limits);
  if (Status done = walk.visit(folder, "", 0); !done.ok()) return done.error();
  return walk.take();
}

}  // namespace wherry::storage
