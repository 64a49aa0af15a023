#include "control/redo_removal.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "storage/open.h"
#include "storage/retrying_storage.h"
#include "store/file.h"
#include "support/log.h"

namespace wherry::control {
namespace {

// Nothing: the feed has no redo that is known of.
Result<std::optional<redo::FeedOwner>> marked_owner(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::optional<redo::FeedOwner>();
  std::ifstream file(path, std::ios::binary);
  std::string source;
  std::string epoch;
  std::getline(file, source);
  std::getline(file, epoch);
  const auto number = redo::parse_epoch(epoch);
  if (source.empty() || !number) return Error{Errc::io, path + " cannot be read"};
  return std::optional(redo::FeedOwner{source, *number});
}

Status remove_redo(const FeedSpec& spec, const redo::FeedOwner& owner,
                   const std::stop_token& stop) {
  Result<std::unique_ptr<storage::Storage>> place = storage::open_storage(spec.redo.storage_uri);
  if (!place.ok()) return place.error();
  storage::RetryPolicy policy = storage::endless_policy();
  policy.requests_per_minute = spec.redo.requests;
  storage::RetryingStorage storage(std::move(place).value(), policy);
  storage::Limits limits;
  limits.stop = stop;
  return redo::remove_feed(storage, spec.name, owner, limits);
}

}  // namespace

std::string redo_mark(const std::string& data_dir, const std::string& feed) {
  return fmt::format("{}/redo/{}", data_dir, feed);
}

Status mark_redo(const std::string& path, const redo::FeedOwner& owner) {
  if (path.empty()) return Unit{};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{Errc::io, fmt::format("make {}: {}", folder, error.message())};
  const std::string text = fmt::format("{}\n{}\n", owner.source, redo::to_string(owner.epoch));
  return store::replace_file(path, as_bytes(text), {});
}

Status discard_redo(const std::string& data_dir, const FeedSpec& spec,
                    const std::stop_token& stop) {
  const std::string mark = redo_mark(data_dir, spec.name);
  const Result<std::optional<redo::FeedOwner>> owner = marked_owner(mark);
  if (!owner.ok()) return owner.error();
  if (!owner.value()) return Unit{};
  if (spec.redo.discard && !spec.redo.storage_uri.empty()) {
    Status removed = remove_redo(spec, *owner.value(), stop);
    if (!removed.ok()) {
      const Errc code = removed.error().code;
      const bool stays = code == Errc::refused || code == Errc::malformed || code == Errc::lost ||
                         code == Errc::unsupported;
      if (!stays) return removed;
      log::warning("control", "the redo of feed {} stays: {}", spec.name, removed.error().what);
    }
  }
  return store::remove_file(mark);
}

}  // namespace wherry::control
