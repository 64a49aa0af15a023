#include "sink/file/line_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "support/ascii.h"
#include "support/hash.h"

namespace wherry::sink {
namespace {

constexpr std::uint64_t kReadBytes = 64 << 10;
constexpr std::uint64_t kHeadBytes = 8 << 10;  // the mark of a line stands within them

// Letters, digits and what else is harmless everywhere. A dot is not: it parts the two names.
bool is_plain(char c) {
  return ascii::letter(c) || ascii::digit(c) || c == '_' || c == '-' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

void append_escaped(std::string_view name, std::string& out) {
  for (const char c : name) {
    if (is_plain(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
}

}  // namespace

std::string file_name_of(const TableName& table) {
  constexpr std::size_t kNameMax = 240;  // file systems take 255 bytes
  std::string name;
  append_escaped(table.database, name);
  name += '.';
  append_escaped(table.table, name);
  if (name.size() > kNameMax) {
    const Hash128 hash = hash128(name);
    name.resize(kNameMax - 40);
    while (!name.empty() && static_cast<unsigned char>(name.back()) >= 0x80) name.pop_back();
    name += fmt::format("~{:016x}{:016x}", hash.high, hash.low);
  }
  return name + ".jsonl";
}

Error LineFile::failure(std::string_view what) const {
  return {Errc::io, fmt::format("{} {}: {}", what, path_, std::strerror(errno)), 0};
}

Status LineFile::open() {
  if (is_open()) return Unit{};
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ENOENT) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    is_new_ = true;
  }
  if (descriptor_ < 0) return failure("cannot open");
  if (known_) return Unit{};
  if (Status done = recover(); !done.ok()) {
    release();
    return done;
  }
  known_ = true;
  // Somebody else's process may have written what is there and never synced it, nor its name.
  is_new_ = true;
  return Unit{};
}

Status LineFile::recover() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return failure("cannot read");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Result<std::uint64_t> end = line_end_before(size);
  if (!end.ok()) return end.error();
  if (end.value() < size && ::ftruncate(descriptor_, static_cast<off_t>(end.value())) != 0)
    return failure("cannot cut the torn end of");
  if (end.value() == 0) return Unit{};
  if (all_marks_) return read_marks(end.value());
  Result<std::uint64_t> begin = line_end_before(end.value() - 1);
  if (!begin.ok()) return begin.error();
  Result<std::string> head = read(begin.value(), std::min(end.value(), begin.value() + kHeadBytes));
  if (!head.ok()) return head.error();
  const std::optional<LineMark> mark = mark_of(head.value());
  if (!mark)
    return Error{Errc::malformed, fmt::format("the last line of {} is none of a feed", path_), 0};
  last_ = *mark;
  return Unit{};
}

Status LineFile::read_marks(std::uint64_t size) {
  std::string rest;
  for (std::uint64_t at = 0; at < size; at += kReadBytes) {
    Result<std::string> part = read(at, std::min(size, at + kReadBytes));
    if (!part.ok()) return part.error();
    rest += part.value();
    std::size_t begin = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos;
         end = rest.find('\n', begin)) {
      const auto mark = mark_of(std::string_view(rest).substr(begin, end - begin));
      if (!mark)
        return Error{Errc::malformed, fmt::format("a line of {} is none of a feed", path_), 0};
      marks_.insert(*mark);
      begin = end + 1;
    }
    rest.erase(0, begin);
  }
  return Unit{};
}

// Behind the last newline before `end`; 0: there is none.
Result<std::uint64_t> LineFile::line_end_before(std::uint64_t end) const {
  while (end > 0) {
    const std::uint64_t begin = end - std::min(end, kReadBytes);
    Result<std::string> part = read(begin, end);
    if (!part.ok()) return part.error();
    const std::size_t found = part.value().rfind('\n');
    if (found != std::string::npos) return begin + found + 1;
    end = begin;
  }
  return std::uint64_t{0};
}

Result<std::string> LineFile::read(std::uint64_t from, std::uint64_t to) const {
  std::string bytes(to - from, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::pread(descriptor_, bytes.data() + have, bytes.size() - have,
                                static_cast<off_t>(from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read");
    if (got == 0) return Error{Errc::truncated, fmt::format("{} became shorter", path_), 0};
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

bool LineFile::holds(const LineMark& mark) const {
  return all_marks_ ? marks_.contains(mark) : mark <= last_;
}

void LineFile::note(const LineMark& mark) {
  if (all_marks_) {
    marks_.insert(mark);
  } else {
    last_ = mark;
  }
}

Status LineFile::write() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t put = calls_.write(descriptor_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failure("cannot write");
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  buffer_.clear();
  return Unit{};
}

Status LineFile::sync() {
  if (calls_.sync(descriptor_) != 0) return failure("cannot sync");
  if (!is_new_) return Unit{};
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failure("cannot open the folder of");
  const int synced = ::fsync(descriptor);
  ::close(descriptor);
  if (synced != 0) return failure("cannot sync the folder of");
  is_new_ = false;
  return Unit{};
}

void LineFile::release() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace wherry::sink
