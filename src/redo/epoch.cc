#include "redo/epoch.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <random>

namespace wherry::redo {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::uint64_t kWhole = 1ULL << 40;

std::uint64_t random_nonce() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

Result<bool> has_tombstone(storage::Storage& storage, const std::string& feed,
                           const storage::Limits& limits) {
  const auto found = storage.get(tombstone_name(feed), 0, 1, limits);
  if (found.ok()) return true;
  if (found.error().code == Errc::lost) return false;
  return found.error();
}

Status remove_all(storage::Storage& storage, const std::string& prefix, std::string_view keep,
                  const storage::Limits& limits) {
  for (;;) {
    const auto page = storage.list(prefix, "", kPage, limits);
    if (!page.ok()) return page.error();
    std::vector<std::string> names;
    for (const storage::Entry& entry : page.value()) {
      if (entry.name != keep) names.push_back(entry.name);
    }
    if (names.empty()) return Unit{};
    if (Status removed = storage.remove(names, limits); !removed.ok()) return removed;
  }
}

// A folder that is not mounted looks empty: only one that can be written is.
Result<bool> holds_anything(storage::Storage& storage, const std::string& feed,
                            const storage::Limits& limits) {
  const std::string probe = feed + "/probe";
  const std::array<Bytes, 1> parts{as_bytes("probe")};
  if (Status put = storage.put(probe, parts, limits); !put.ok()) return put.error();
  const auto found = storage.list(feed + "/", "", 2, limits);
  if (!found.ok()) return found.error();
  if (Status gone = storage.remove({&probe, 1}, limits); !gone.ok()) return gone.error();
  return std::any_of(found.value().begin(), found.value().end(),
                     [&](const storage::Entry& entry) { return entry.name != probe; });
}

// Where the newest epoch ends, as what the next one follows.
Claim following(const Archive& archive) {
  Claim claim;
  claim.begin = archive.resolved();
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
  const Result<bool> removing = has_tombstone(storage, request.feed, limits);
  if (!removing.ok()) return removing.error();
  if (removing.value()) {
    if (Status removed = remove_feed(storage, request.feed, limits); !removed.ok())
      return removed.error();
  }
  const auto any = storage.list(request.feed + "/", "", 1, limits);
  if (!any.ok()) return any.error();
  Claim claim;
  claim.begin = request.target;
  std::uint64_t number = request.lease_epoch;
  if (!any.value().empty()) {
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
  return claim;
}

Status remove_feed(storage::Storage& storage, const std::string& feed,
                   const storage::Limits& limits) {
  const std::string mark = tombstone_name(feed);
  const std::array<Bytes, 1> parts{as_bytes("removed")};
  Status done = storage.put(mark, parts, limits);
  if (done.ok()) done = remove_all(storage, feed + "/", mark, limits);
  if (done.ok()) done = storage.remove({&mark, 1}, limits);
  return done;
}

Status remove_feed_of(storage::Storage& storage, const std::string& feed, const std::string& source,
                      const storage::Limits& limits) {
  const Result<bool> removing = has_tombstone(storage, feed, limits);
  if (!removing.ok()) return removing.error();
  if (removing.value()) return remove_feed(storage, feed, limits);
  const Result<bool> any = holds_anything(storage, feed, limits);
  if (!any.ok()) return any.error();
  if (!any.value()) return Unit{};
  const Result<Archive> archive = Archive::open(storage, feed, limits);
  if (!archive.ok()) return archive.error();
  const std::string& owner = archive.value().claim().source;
  if (owner != source) {
    return Error{Errc::refused, fmt::format("the redo of feed {} in {} is of another source ({})",
                                            feed, storage.describe(), owner)};
  }
  return remove_feed(storage, feed, limits);
}

}  // namespace wherry::redo
