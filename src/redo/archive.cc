#include "redo/archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace wherry::redo {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::uint64_t kHeaderGuess = 64 << 10;
constexpr std::uint64_t kWhole = 1ULL << 40;

// What a target must have before the file is of use to it: a transaction that begins in a file
// before cannot be replayed from here.
std::uint64_t needed_before(const FileHeader& header) {
  return header.first.row == 0 ? header.before.cseq : header.first.cseq;
}

Result<std::vector<storage::Entry>> list_all(storage::Storage& storage, const std::string& prefix,
                                             const storage::Limits& limits) {
  std::vector<storage::Entry> all;
  for (;;) {
    const std::string after = all.empty() ? std::string() : all.back().name;
    Result<std::vector<storage::Entry>> page = storage.list(prefix, after, kPage, limits);
    if (!page.ok()) return page.error().within("list " + prefix);
    for (storage::Entry& entry : page.value()) all.push_back(std::move(entry));
    if (page.value().size() < kPage) return all;
  }
}

}  // namespace

Result<FileFooter> read_footer(storage::Storage& storage, const ArchiveFile& file,
                               const storage::Limits& limits) {
  std::uint64_t want = std::min<std::uint64_t>(file.bytes, kFooterGuess);
  for (;;) {
    const auto tail = storage.get(file.name, file.bytes - want, want, limits);
    if (!tail.ok()) return tail.error().within(file.name);
    std::uint64_t offset = 0;
    Result<FileFooter> footer = decode_footer(tail.value(), file.bytes, file.name, offset);
    const bool more =
        !footer.ok() && footer.error().code == Errc::truncated && want < file.bytes && offset != 0;
    if (!more) return footer;
    want = file.bytes;
  }
}

Result<FileHeader> read_header(storage::Storage& storage, const ArchiveFile& file,
                               const storage::Limits& limits) {
  for (const std::uint64_t want : {kHeaderGuess, kWhole}) {
    const auto head = storage.get(file.name, 0, want, limits);
    if (!head.ok()) return head.error().within(file.name);
    std::size_t size = 0;
    Result<FileHeader> header = decode_header(head.value(), file.name, size);
    if (header.ok() || header.error().code != Errc::truncated || want == kWhole) return header;
  }
  return Error{Errc::truncated, file.name};
}

Result<std::vector<std::string>> list_feeds(storage::Storage& storage,
                                            const storage::Limits& limits) {
  std::vector<std::string> feeds;
  std::string after;
  for (;;) {
    Result<std::vector<storage::Entry>> page = storage.list("", after, 1, limits);
    if (!page.ok()) return page.error().within("list the storage");
    if (page.value().empty()) return feeds;
    const std::string& name = page.value().front().name;
    const std::size_t slash = name.find('/');
    const std::string feed = name.substr(0, slash);
    if (slash != std::string::npos && is_feed_name(feed)) feeds.push_back(feed);
    // '0' is the character behind '/': the next name of another folder, or of none.
    after = slash == std::string::npos ? name : feed + "/\x7f";
  }
}

// The steps of Archive::open().
class ArchiveScan {
 public:
  ArchiveScan(storage::Storage& storage, std::string feed, const storage::Limits& limits)
      : storage_(storage), feed_(std::move(feed)), limits_(limits) {}

  Result<Archive> run();

 private:
  Status list();
  Status read_claims();
  void count_files();
  Status settle_newest();
  Status find_end();
  Status find_begin();
  Result<FileHeader> header_from(std::size_t& at);
  Error missing(std::uint64_t number, const EpochId& epoch) const;

  struct Gap {  // files that should be there, before files_[at]
    std::size_t at = 0;
    EpochId epoch;
    std::uint64_t number = 0;
  };

  storage::Storage& storage_;
  const std::string feed_;
  const storage::Limits limits_;
  Archive out_;
  std::set<std::uint64_t> claimed_;
  std::map<EpochId, std::map<std::uint64_t, ArchiveFile>> found_;
  std::vector<Gap> gaps_;
};

Result<Archive> Archive::open(storage::Storage& storage, const std::string& feed,
                              const storage::Limits& limits) {
  // A writer that removes old files meanwhile may know of a newer checkpoint than what was listed:
  // the next look knows it too.
  constexpr int kLooks = 4;
  for (int look = 1;; ++look) {
    Result<Archive> archive = ArchiveScan(storage, feed, limits).run();
    if (archive.ok() || archive.error().code != Errc::lost || look == kLooks) return archive;
  }
}

std::uint64_t Archive::bytes() const {
  std::uint64_t bytes = 0;
  for (const ArchiveFile& file : files_) bytes += file.bytes;
  return bytes;
}

std::uint64_t Archive::complete_through(const EpochId& epoch) const {
  for (std::size_t i = 0; i + 1 < claims_.size(); ++i) {
    if (claims_[i].epoch == epoch) return claims_[i + 1].begin.cseq;
  }
  return resolved_.cseq;
}

std::vector<std::string> Archive::old_claims() const {
  const EpochId oldest = files_.empty() ? claims_.back().epoch : files_.front().epoch;
  std::vector<std::string> names;
  for (const Claim& claim : claims_) {
    if (claim.epoch < oldest) names.push_back(claim_name(claim.feed, claim.epoch.number));
  }
  return names;
}

Result<Archive> ArchiveScan::run() {
  Status done = list();
  if (done.ok()) done = read_claims();
  if (!done.ok()) return done.error();
  count_files();
  done = settle_newest();
  if (done.ok()) done = find_end();
  if (done.ok()) done = find_begin();
  if (!done.ok()) return done.error();
  return std::move(out_);
}

Status ArchiveScan::list() {
  Result<std::vector<storage::Entry>> all = list_all(storage_, feed_ + "/", limits_);
  if (!all.ok()) return all.error();
  for (storage::Entry& entry : all.value()) {
    if (const auto epoch = parse_claim_name(feed_, entry.name)) claimed_.insert(*epoch);
    const auto file = parse_file_name(feed_, entry.name);
    if (file)
      found_[file->epoch][file->number] = {file->epoch, file->number, entry.bytes,
                                           std::move(entry.name)};
  }
  return Unit{};
}

// From the newest claim back through those that it follows, as far as they are still there.
Status ArchiveScan::read_claims() {
  if (claimed_.empty())
    return Error{Errc::lost,
                 fmt::format("{} holds no redo of feed {}", storage_.describe(), feed_)};
  std::optional<EpochId> wanted;
  std::uint64_t number = *claimed_.rbegin();
  while (claimed_.contains(number)) {
    const std::string name = claim_name(feed_, number);
    const auto bytes = storage_.get(name, 0, kWhole, limits_);
    if (!bytes.ok()) return bytes.error().within(name);
    Result<Claim> claim = decode_claim(bytes.value(), name);
    if (!claim.ok()) return claim.error();
    const EpochId& epoch = claim.value().epoch;
    if (claim.value().feed != feed_ || epoch.number != number || (wanted && epoch != *wanted)) {
      return Error{Errc::refused, fmt::format("{}: a foreign file: it claims epoch {} of feed {}",
                                              name, to_string(epoch), claim.value().feed)};
    }
    const std::optional<Claim::Previous> previous = claim.value().previous;
    out_.claims_.insert(out_.claims_.begin(), std::move(claim).value());
    if (!previous) break;
    wanted = previous->epoch;
    number = wanted->number;
  }
  return Unit{};
}

void ArchiveScan::count_files() {
  for (std::size_t i = 0; i < out_.claims_.size(); ++i) {
    const EpochId& epoch = out_.claims_[i].epoch;
    const bool newest = i + 1 == out_.claims_.size();
    const std::uint64_t limit = newest ? UINT64_MAX : out_.claims_[i + 1].previous->number;
    std::uint64_t next = 1;
    for (const auto& [number, file] : found_[epoch]) {
      if (number > limit) {
        out_.strays_.push_back(file.name);
        continue;
      }
      if (number != next) gaps_.push_back({out_.files_.size(), epoch, next});
      out_.files_.push_back(file);
      next = number + 1;
    }
    if (!newest && next <= limit) gaps_.push_back({out_.files_.size(), epoch, next});
    found_.erase(epoch);
  }
  for (const auto& [epoch, files] : found_) {
    for (const auto& [number, file] : files) out_.strays_.push_back(file.name);
  }
}

// What is missing of the newest epoch was removed, is lost, or is still being uploaded while later
// files are done: the last file knows, since the marks in it never go back.
Status ArchiveScan::settle_newest() {
  const EpochId& newest = out_.claims_.back().epoch;
  if (gaps_.empty() || gaps_.back().epoch != newest) return Unit{};
  const Result<FileFooter> last = read_footer(storage_, out_.files_.back(), limits_);
  if (!last.ok()) return last.error();
  out_.checkpoint_ = last.value().checkpoint;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    if (gaps_[i].epoch != newest) continue;
    std::size_t at = gaps_[i].at;
    const Result<FileHeader> header = header_from(at);
    if (!header.ok()) return header.error();
    const std::uint64_t needed = needed_before(header.value());
    if (last.value().checkpoint >= needed) continue;
    const bool some_went = at != gaps_[i].at;  // so they were durable, whatever the last file knows
    if (some_went || last.value().durable >= needed) return missing(gaps_[i].number, newest);
    const auto from = out_.files_.begin() + static_cast<std::ptrdiff_t>(gaps_[i].at);
    for (auto file = from; file != out_.files_.end(); ++file) out_.pending_.push_back(file->name);
    out_.files_.erase(from, out_.files_.end());
    gaps_.resize(i);
  }
  return Unit{};
}

Status ArchiveScan::find_end() {
  const Claim& newest = out_.claims_.back();
  out_.resolved_ = newest.begin;
  out_.snapshot_ = newest.snapshot;
  if (newest.previous) out_.chain_ = newest.previous->chain;
  if (out_.files_.empty()) return Unit{};
  const ArchiveFile& last = out_.files_.back();
  Result<FileFooter> footer = read_footer(storage_, last, limits_);
  if (!footer.ok()) return footer.error();
  out_.checkpoint_ = std::max(out_.checkpoint_, footer.value().checkpoint);
  if (last.epoch != newest.epoch) return Unit{};
  out_.resolved_ = footer.value().after;
  out_.snapshot_ = footer.value().snapshot;
  out_.chain_ = footer.value().chain;
  return Unit{};
}

Error ArchiveScan::missing(std::uint64_t number, const EpochId& epoch) const {
  return Error{Errc::lost, fmt::format("{} is missing: it was durable, and is needed by a target "
                                       "that stands before it",
                                       file_name(feed_, epoch, number))};
}

// The header of the first file from `at` on that is still there, and which one that is: old files
// may have been removed since they were listed.
Result<FileHeader> ArchiveScan::header_from(std::size_t& at) {
  for (;; ++at) {
    Result<FileHeader> header = read_header(storage_, out_.files_[at], limits_);
    const bool gone = !header.ok() && header.error().code == Errc::lost;
    if (!gone || at + 1 == out_.files_.size()) return header;
  }
}

// Files below the checkpoint may be gone, some before others. The archive begins behind the last
// gap, and that gap must lie below the checkpoint.
Status ArchiveScan::find_begin() {
  std::size_t from = 0;
  for (const Gap& gap : gaps_) {
    std::uint64_t needed = out_.claims_.back().begin.cseq;
    std::size_t at = std::max(gap.at, from);
    if (at < out_.files_.size()) {
      const Result<FileHeader> header = header_from(at);
      if (!header.ok()) return header.error();
      needed = needed_before(header.value());
    }
    if (needed > out_.checkpoint_) return missing(gap.number, gap.epoch);
    from = at;
  }
  out_.begin_ = out_.resolved_;
  if (from < out_.files_.size()) {
    const ArchiveFile& listed = out_.files_[from];
    std::size_t at = from;
    const Result<FileHeader> header = header_from(at);
    if (!header.ok()) return header.error();
    out_.begin_ = header.value().before;
    out_.begin_.cseq = needed_before(header.value());
    if (at != from && out_.begin_.cseq > out_.checkpoint_)
      return missing(listed.number, listed.epoch);
    from = at;
  }
  out_.files_.erase(out_.files_.begin(), out_.files_.begin() + static_cast<std::ptrdiff_t>(from));
  return Unit{};
}

}  // namespace wherry::redo
