#include "redo/epoch.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>

#include "support/log.h"

namespace wherry::redo {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::uint64_t kWhole = 1ULL << 40;

std::uint64_t random_nonce() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

// What a removal has to take away: everything of epochs through this one. 0: nothing.
Result<std::uint64_t> parse_tombstone(const std::string& name, std::string_view text) {
  std::uint64_t epoch = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, epoch);
  if (parsed.ec == std::errc() && parsed.ptr == end) return epoch;
  return Error{Errc::malformed, name + " names no epoch"};
}

Status put_tombstone(storage::Storage& storage, const std::string& feed, std::uint64_t epoch,
                     const storage::Limits& limits) {
  const std::string text = fmt::format("{:010}", epoch);
  const std::array<Bytes, 1> parts{as_bytes(text)};
  return storage.put(tombstone_name(feed), parts, limits);
}

// Not what a writer of a newer epoch puts there meanwhile.
bool goes(const std::string& feed, const std::string& name, std::uint64_t epoch) {
  if (name == tombstone_name(feed)) return false;
  if (const auto claim = parse_claim_name(feed, name)) return *claim <= epoch;
  if (const auto file = parse_file_name(feed, name)) return file->epoch.number <= epoch;
  return epoch != 0;
}

Status remove_through(storage::Storage& storage, const std::string& feed, std::uint64_t epoch,
                      const storage::Limits& limits) {
  std::string after;
  for (;;) {
    const auto page = storage.list(feed + "/", after, kPage, limits);
    if (!page.ok()) return page.error();
    std::vector<std::string> names;
    for (const storage::Entry& entry : page.value()) {
      if (goes(feed, entry.name, epoch)) names.push_back(entry.name);
    }
    if (!names.empty()) {
      // The same page again: a list may show what is gone, and what was put late.
      if (Status removed = storage.remove(names, limits); !removed.ok()) return removed;
    } else if (page.value().size() < kPage) {
      return Unit{};
    } else {
      after = page.value().back().name;
    }
  }
}

// What killed writers left costs room and nothing else.
void sweep(storage::Storage& storage, const std::string& feed, const storage::Limits& limits) {
  const Status swept = storage.sweep(feed + "/", limits);
  if (!swept.ok())
    log::warning("redo", "feed {}: what killed writers left stays: {}", feed, swept.error().what);
}

Status finish_removal(storage::Storage& storage, const std::string& feed, std::uint64_t epoch,
                      const storage::Limits& limits) {
  if (Status removed = remove_through(storage, feed, epoch, limits); !removed.ok()) return removed;
  sweep(storage, feed, limits);
  const std::string mark = tombstone_name(feed);
  return storage.remove({&mark, 1}, limits);
}

// Goes on with a removal that was begun; the answer is the last epoch that went. 0: there was none.
Result<std::uint64_t> take_up_removal(storage::Storage& storage, const std::string& feed,
                                      const storage::Limits& limits) {
  const std::string mark = tombstone_name(feed);
  const auto found = storage.get(mark, 0, kWhole, limits);
  if (!found.ok() && found.error().code == Errc::lost) return std::uint64_t{0};
  if (!found.ok()) return found.error();
  Result<std::uint64_t> epoch = parse_tombstone(mark, as_text(found.value()));
  if (!epoch.ok()) return epoch;
  if (Status done = finish_removal(storage, feed, epoch.value(), limits); !done.ok())
    return done.error();
  return epoch;
}

Result<bool> holds_anything(storage::Storage& storage, const std::string& feed,
                            const storage::Limits& limits) {
  const auto found = storage.list(feed + "/", "", 2, limits);
  if (!found.ok()) return found.error();
  return std::any_of(found.value().begin(), found.value().end(), [&](const storage::Entry& entry) {
    return entry.name != tombstone_name(feed);
  });
}

// Where the newest epoch ends, as what the next one follows.
Claim following(const Archive& archive) {
  Claim claim;
  claim.begin = archive.resolved();
  claim.snapshot = archive.snapshot();
  Claim::Previous previous;
  previous.epoch = archive.claim().epoch;
  previous.chain = archive.chain();
  if (!archive.files().empty() && archive.files().back().epoch == previous.epoch)
    previous.number = archive.files().back().number;
  claim.previous = previous;
  return claim;
}

Status require_ours(const Archive& archive, const EpochRequest& request,
                    const std::string& storage) {
  if (archive.claim().source != request.source || archive.claim().dialect != request.dialect) {
    return Error{Errc::refused,
                 fmt::format("the redo of feed {} in {} is of another source ({}); use another "
                             "name or prefix, or remove it",
                             request.feed, storage, archive.claim().source)};
  }
  if (archive.resolved().cseq < request.target.cseq) {
    return Error{
        Errc::lost,
        fmt::format("the target has transactions through {}, the redo of feed {} in {} only "
                    "through {}: files of it were lost. Remove the redo to begin it anew",
                    request.target.cseq, request.feed, storage, archive.resolved().cseq)};
  }
  return Unit{};
}

// What stands under the claim's name in the end decides between two that wrote it.
Status put_claim(storage::Storage& storage, const Claim& claim, const storage::Limits& limits) {
  const std::string name = claim_name(claim.feed, claim.epoch.number);
  const std::string text = encode(claim);
  const std::array<Bytes, 1> parts{as_bytes(text)};
  const Error taken{Errc::conflict, fmt::format("another writer claimed epoch {} of feed {}",
                                                claim.epoch.number, claim.feed)};
  const Result<bool> created = storage.create(name, parts, limits);
  if (!created.ok() && created.error().code != Errc::unsupported) return created.error();
  if (created.ok() && !created.value()) return taken;
  if (!created.ok()) {
    if (Status put = storage.put(name, parts, limits); !put.ok()) return put;
  }
  const auto read = storage.get(name, 0, kWhole, limits);
  if (!read.ok()) return read.error();
  if (as_text(read.value()) != text) return taken;
  return Unit{};
}

}  // namespace

Result<Claim> begin_epoch(storage::Storage& storage, const EpochRequest& request,
                          const storage::Limits& limits) {
  const Result<std::uint64_t> removed = take_up_removal(storage, request.feed, limits);
  if (!removed.ok()) return removed.error();
  const Result<bool> any = holds_anything(storage, request.feed, limits);
  if (!any.ok()) return any.error();
  Claim claim;
  claim.begin = request.target;
  if (request.snapshot) claim.snapshot = SnapshotMark{};
  // Whoever still goes on with that removal leaves a higher number alone.
  std::uint64_t number = std::max(request.lease_epoch, removed.value() + 1);
  if (any.value()) {
    Result<Archive> archive = Archive::open(storage, request.feed, limits);
    if (!archive.ok()) return archive.error();
    if (Status ours = require_ours(archive.value(), request, storage.describe()); !ours.ok())
      return ours.error();
    claim = following(archive.value());
    number = std::max(number, archive.value().claim().epoch.number + 1);
  }
  claim.feed = request.feed;
  claim.epoch = {number, random_nonce()};
  claim.dialect = request.dialect;
  claim.source = request.source;
  claim.mapping = request.mapping;
  if (Status put = put_claim(storage, claim, limits); !put.ok()) return put.error();
  sweep(storage, request.feed, limits);
  return claim;
}

Status remove_feed(storage::Storage& storage, const std::string& feed, const FeedOwner& owner,
                   const storage::Limits& limits) {
  if (const auto earlier = take_up_removal(storage, feed, limits); !earlier.ok())
    return earlier.error();
  // A folder that is not mounted looks empty: only one that can be written is.
  if (Status put = put_tombstone(storage, feed, 0, limits); !put.ok()) return put;
  const Result<bool> any = holds_anything(storage, feed, limits);
  if (!any.ok()) return any.error();
  if (!any.value()) return finish_removal(storage, feed, 0, limits);
  const Result<Archive> archive = Archive::open(storage, feed, limits);
  if (!archive.ok()) return archive.error();
  const Claim& newest = archive.value().claim();
  if (newest.source != owner.source || newest.epoch != owner.epoch) {
    if (Status left = finish_removal(storage, feed, 0, limits); !left.ok()) return left;
    return Error{Errc::refused,
                 fmt::format("the redo of feed {} in {} is another writer's (epoch {}, source {})",
                             feed, storage.describe(), to_string(newest.epoch), newest.source)};
  }
  if (Status put = put_tombstone(storage, feed, newest.epoch.number, limits); !put.ok()) return put;
  return finish_removal(storage, feed, newest.epoch.number, limits);
}

}  // namespace wherry::redo
