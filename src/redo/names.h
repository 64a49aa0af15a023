// What the objects of a feed's redo are called, below the storage's prefix:
//   FEED/EPOCH.epoch                    the claim of an epoch
//   FEED/EPOCH-NONCE/NUMBER.redo        its files, numbered from 1
//   FEED/meta                           a hint
//   FEED/removed                        the last epoch that is being removed, ten digits
// EPOCH has ten digits, NONCE sixteen hexadecimal ones, NUMBER twenty, so names ascend as the
// numbers do. Feeds' names hold no '/', so no feed's objects are another's. Pure functions.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wherry::redo {

// One writer's stay. Numbers ascend; the nonce tells apart what two writers made of one number.
struct EpochId {
  std::uint64_t number = 0;
  std::uint64_t nonce = 0;
  auto operator<=>(const EpochId&) const = default;
};

std::string to_string(const EpochId& epoch);
std::optional<EpochId> parse_epoch(std::string_view text);  // what to_string() gives
std::string claim_name(std::string_view feed, std::uint64_t epoch);
std::string epoch_folder(std::string_view feed, const EpochId& epoch);  // with the last '/'
std::string file_name(std::string_view feed, const EpochId& epoch, std::uint64_t number);
std::string meta_name(std::string_view feed);
std::string tombstone_name(std::string_view feed);

// Nothing: the object is none of these.
std::optional<std::uint64_t> parse_claim_name(std::string_view feed, std::string_view name);
struct FileId {
  EpochId epoch;
  std::uint64_t number = 0;
};
std::optional<FileId> parse_file_name(std::string_view feed, std::string_view name);
// Whether it can name a feed's redo: letters, digits, '-', '_'; up to 64.
bool is_feed_name(std::string_view name);

}  // namespace wherry::redo
