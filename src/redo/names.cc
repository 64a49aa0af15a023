#include "redo/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace wherry::redo {
namespace {

constexpr std::size_t kEpochDigits = 10;
constexpr std::size_t kNonceDigits = 16;
constexpr std::size_t kNumberDigits = 20;
constexpr std::size_t kFeedNameMax = 64;
constexpr std::string_view kClaimSuffix = ".epoch";
constexpr std::string_view kFileSuffix = ".redo";

std::optional<std::uint64_t> number_of(std::string_view text, int base) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace

std::string to_string(const EpochId& epoch) {
  return fmt::format("{:010}-{:016x}", epoch.number, epoch.nonce);
}
std::string claim_name(std::string_view feed, std::uint64_t epoch) {
  return fmt::format("{}/{:010}{}", feed, epoch, kClaimSuffix);
}
std::string epoch_folder(std::string_view feed, const EpochId& epoch) {
  return fmt::format("{}/{}/", feed, to_string(epoch));
}
std::string file_name(std::string_view feed, const EpochId& epoch, std::uint64_t number) {
  return fmt::format("{}{:020}{}", epoch_folder(feed, epoch), number, kFileSuffix);
}
std::string meta_name(std::string_view feed) { return fmt::format("{}/meta", feed); }
std::string tombstone_name(std::string_view feed) { return fmt::format("{}/removed", feed); }

std::optional<EpochId> parse_epoch(std::string_view text) {
  if (text.size() != kEpochDigits + 1 + kNonceDigits || text[kEpochDigits] != '-') return {};
  const auto number = number_of(text.substr(0, kEpochDigits), 10);
  const auto nonce = number_of(text.substr(kEpochDigits + 1), 16);
  if (!number || !nonce) return {};
  return EpochId{*number, *nonce};
}

std::optional<std::uint64_t> parse_claim_name(std::string_view feed, std::string_view name) {
  const std::size_t size = feed.size() + 1 + kEpochDigits + kClaimSuffix.size();
  if (name.size() != size || !name.starts_with(feed) || name[feed.size()] != '/') return {};
  if (!name.ends_with(kClaimSuffix)) return {};
  return number_of(name.substr(feed.size() + 1, kEpochDigits), 10);
}

std::optional<FileId> parse_file_name(std::string_view feed, std::string_view name) {
  constexpr std::size_t kEpochSize = kEpochDigits + 1 + kNonceDigits;
  if (!name.starts_with(feed) || !name.ends_with(kFileSuffix)) return {};
  name.remove_prefix(feed.size());
  name.remove_suffix(kFileSuffix.size());
  if (name.size() != 1 + kEpochSize + 1 + kNumberDigits) return {};
  const auto epoch = parse_epoch(name.substr(1, kEpochSize));
  const auto number = number_of(name.substr(name.size() - kNumberDigits), 10);
  if (!epoch || !number || name[0] != '/' || name[1 + kEpochSize] != '/') return {};
  return FileId{*epoch, *number};
}

bool is_feed_name(std::string_view name) {
  return !name.empty() && name.size() <= kFeedNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

}  // namespace wherry::redo
