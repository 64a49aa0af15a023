#include "control/redo_look.h"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "redo/meta.h"
#include "storage/open.h"
#include "storage/retrying_storage.h"

namespace wherry::control {
namespace {

using Json = nlohmann::json;

std::string time_text(std::uint64_t commit_us) {
  if (commit_us == 0) return "";
  const auto seconds = static_cast<std::time_t>(commit_us / 1'000'000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(seconds), commit_us % 1'000'000);
}

Json place_json(const store::Place& place) {
  Json json;
  json["cseq"] = place.cseq;
  json["gtid"] = place.gtid;
  json["file"] = place.file.file;
  json["offset"] = place.file.offset;
  json["commit_time"] = time_text(place.commit_us);
  return json;
}

std::string place_text(const store::Place& place) {
  std::string text = fmt::format("transaction {}, {}", place.cseq, place.file.to_string());
  if (!place.gtid.empty()) text += ", " + place.gtid;
  if (place.commit_us != 0) text += ", committed " + time_text(place.commit_us);
  return text;
}

std::string kind_of(Errc code) {
  switch (code) {
    case Errc::lost:
      return "missing";
    case Errc::truncated:
      return "truncated";
    case Errc::malformed:
      return "corrupt";
    case Errc::refused:
      return "foreign";
    default:
      return "unreadable";
  }
}

bool is_damage(Errc code) {
  return code == Errc::lost || code == Errc::truncated || code == Errc::malformed ||
         code == Errc::refused || code == Errc::unsupported;
}

// One file, read through. The chain behind it where all of it is right.
Result<std::optional<Hash128>> check_file(storage::Storage& storage, const redo::Archive& archive,
                                          const redo::ArchiveFile& file,
                                          const std::optional<Hash128>& previous,
                                          const storage::Limits& limits) {
  const auto bytes = storage.get(file.name, 0, file.bytes, limits);
  if (!bytes.ok()) return bytes.error().within(file.name);
  const redo::Expected expected{archive.claim().feed, file.epoch, file.number, previous, {}};
  Result<redo::FileWalk> walk = redo::FileWalk::open(bytes.value(), file.name, expected);
  if (!walk.ok()) return walk.error();
  for (;;) {
    const auto block = walk.value().next();
    if (!block.ok()) return block.error();
    if (!block.value()) return std::optional<Hash128>(walk.value().footer().chain);
  }
}

// The newest that is known: from the files, and from the hint where it is of this epoch.
std::uint64_t checkpoint_of(const redo::Archive& archive, const std::optional<redo::Meta>& hint) {
  if (!hint || hint->epoch != archive.claim().epoch) return archive.checkpoint();
  return std::max(archive.checkpoint(), std::min(hint->checkpoint, archive.resolved().cseq));
}

// Whether a target can be made from it.
std::string snapshot_word(const redo::Archive& archive) {
  if (!archive.snapshot()) return "none";
  return archive.snapshot()->complete ? "complete" : "incomplete";
}

std::string meta_json(const redo::Archive& archive, std::uint64_t checkpoint) {
  Json json;
  json["feed"] = archive.claim().feed;
  json["source"] = archive.claim().source;
  json["dialect"] = archive.claim().dialect == Dialect::mysql ? "mysql" : "mariadb";
  json["epoch"] = archive.claim().epoch.number;
  json["checkpoint"] = checkpoint;
  json["begin"] = place_json(archive.begin());
  json["resolved"] = place_json(archive.resolved());
  json["snapshot"] = snapshot_word(archive);
  json["files"] = archive.files().size();
  json["bytes"] = archive.bytes();
  json["pending"] = archive.pending().size();
  return json.dump(2) + "\n";
}

std::string meta_text(const redo::Archive& archive, std::uint64_t checkpoint) {
  return fmt::format(
      "feed        {} of {}\n"
      "begin       {}\n"
      "checkpoint  transaction {}\n"
      "resolved    {}\n"
      "snapshot    {}\n"
      "files       {} of {} bytes, epoch {}\n",
      archive.claim().feed, archive.claim().source, place_text(archive.begin()), checkpoint,
      place_text(archive.resolved()), snapshot_word(archive), archive.files().size(),
      archive.bytes(), archive.claim().epoch.number);
}

struct Place {
  std::unique_ptr<storage::Storage> storage;
  std::string feed;
};
Result<Place> open_place(const std::string& uri, const std::string& feed) {
  Result<std::unique_ptr<storage::Storage>> opened = open_redo_storage(uri);
  if (!opened.ok()) return opened.error();
  Result<std::string> chosen = choose_feed(*opened.value(), feed, {});
  if (!chosen.ok()) return chosen.error();
  return Place{std::move(opened).value(), std::move(chosen).value()};
}

}  // namespace

Result<std::unique_ptr<storage::Storage>> open_redo_storage(const std::string& uri) {
  Result<std::unique_ptr<storage::Storage>> opened = storage::open_storage(uri);
  if (!opened.ok()) return opened;
  return std::unique_ptr<storage::Storage>(std::make_unique<storage::RetryingStorage>(
      std::move(opened).value(), storage::RetryPolicy{}));
}

Result<std::string> choose_feed(storage::Storage& storage, const std::string& name,
                                const storage::Limits& limits) {
  Result<std::vector<std::string>> feeds = redo::list_feeds(storage, limits);
  if (!feeds.ok()) return feeds.error();
  if (feeds.value().empty())
    return Error{Errc::usage, fmt::format("{} holds no redo", storage.describe())};
  const auto& all = feeds.value();
  if (name.empty() && all.size() == 1) return all.front();
  if (std::find(all.begin(), all.end(), name) != all.end()) return name;
  const std::string there = fmt::format("{}", fmt::join(all, ", "));
  if (name.empty())
    return Error{Errc::usage, fmt::format("--feed NAME is needed: the storage holds {}", there)};
  return Error{Errc::usage, fmt::format("the storage holds no redo of {}, but of {}", name, there)};
}

Result<std::string> redo_meta(const std::string& uri, const std::string& feed, bool json) {
  const Result<Place> place = open_place(uri, feed);
  if (!place.ok()) return place.error();
  const Result<redo::Archive> archive =
      redo::Archive::open(*place.value().storage, place.value().feed, {});
  if (!archive.ok()) return archive.error();
  const std::uint64_t checkpoint = checkpoint_of(
      archive.value(), redo::read_meta(*place.value().storage, place.value().feed, {}));
  return json ? meta_json(archive.value(), checkpoint) : meta_text(archive.value(), checkpoint);
}

Result<RedoVerdict> verify_redo(const std::string& uri, const std::string& feed) {
  const Result<Place> place = open_place(uri, feed);
  if (!place.ok()) return place.error();
  return verify_redo(*place.value().storage, place.value().feed);
}

Result<RedoVerdict> verify_redo(storage::Storage& storage, const std::string& feed) {
  RedoVerdict verdict;
  verdict.feed = feed;
  const Result<redo::Archive> archive = redo::Archive::open(storage, feed, {});
  if (!archive.ok()) {
    if (!is_damage(archive.error().code)) return archive.error();
    verdict.findings.push_back({kind_of(archive.error().code), archive.error().what});
    return verdict;
  }
  // Where the redo begins by now: the feed may remove old files meanwhile.
  std::uint64_t begin = archive.value().begin().cseq;
  std::pair<redo::EpochId, std::uint64_t> first;
  std::optional<Hash128> chain;
  for (const redo::ArchiveFile& file : archive.value().files()) {
    const std::pair here(file.epoch, file.number);
    if (here < first) continue;
    Result<std::optional<Hash128>> checked = check_file(storage, archive.value(), file, chain, {});
    if (!checked.ok() && !is_damage(checked.error().code)) return checked.error();
    if (!checked.ok() && checked.error().code == Errc::lost) {
      const Result<redo::Archive> now = redo::Archive::open(storage, feed, {});
      if (now.ok() && !now.value().files().empty()) {
        begin = now.value().begin().cseq;
        first = {now.value().files().front().epoch, now.value().files().front().number};
      }
      if (here < first) {
        chain.reset();
        continue;
      }
    }
    ++verdict.files;
    verdict.bytes += file.bytes;
    if (!checked.ok())
      verdict.findings.push_back({kind_of(checked.error().code), checked.error().what});
    chain = checked.ok() ? checked.value() : std::nullopt;
  }
  verdict.transactions =
      archive.value().resolved().cseq - std::min(begin, archive.value().resolved().cseq);
  return verdict;
}

std::string verdict_json(const RedoVerdict& verdict) {
  Json json;
  json["feed"] = verdict.feed;
  json["files"] = verdict.files;
  json["bytes"] = verdict.bytes;
  json["transactions"] = verdict.transactions;
  json["ok"] = verdict.findings.empty();
  json["findings"] = Json::array();
  for (const RedoFinding& finding : verdict.findings)
    json["findings"].push_back({{"kind", finding.kind}, {"what", finding.what}});
  return json.dump(2) + "\n";
}

std::string verdict_text(const RedoVerdict& verdict) {
  std::string text;
  for (const RedoFinding& finding : verdict.findings)
    text += fmt::format("{}: {}\n", finding.kind, finding.what);
  return text + fmt::format("{} files, {} bytes, {} transactions of feed {}: {}\n", verdict.files,
                            verdict.bytes, verdict.transactions, verdict.feed,
                            verdict.findings.empty() ? "all right" : "damaged");
}

}  // namespace wherry::control
