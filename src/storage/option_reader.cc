#include "storage/option_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "support/ascii.h"
#include "support/nearest.h"
#include "support/units.h"

namespace wherry::storage {
namespace {

template <typename T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

const std::string* OptionReader::find(std::string_view name) {
  known_.push_back(name);
  const auto found = uri_.options.find(std::string(name));
  return found == uri_.options.end() ? nullptr : &found->second;
}

void OptionReader::refuse(std::string_view name, const std::string& why) {
  if (error_) return;
  error_ =
      Error{Errc::usage, fmt::format("the option {} of a {}:// URI: {}", name, uri_.scheme, why)};
}

std::string OptionReader::text(std::string_view name, std::string_view otherwise) {
  const std::string* const found = find(name);
  if (found != nullptr && found->empty()) refuse(name, "it is empty");
  return found == nullptr ? std::string(otherwise) : *found;
}

std::chrono::milliseconds OptionReader::duration(std::string_view name) {
  const std::string* const found = find(name);
  if (found == nullptr) return {};
  const Result<std::chrono::milliseconds> value = parse_duration(*found);
  if (value.ok()) return value.value();
  refuse(name, value.error().what);
  return {};
}

std::uint64_t OptionReader::size(std::string_view name, std::uint64_t otherwise) {
  const std::string* const found = find(name);
  if (found == nullptr) return otherwise;
  const Result<std::uint64_t> value = parse_size(*found);
  if (value.ok()) return value.value();
  refuse(name, value.error().what);
  return otherwise;
}

std::uint64_t OptionReader::number(std::string_view name, std::uint64_t otherwise) {
  const std::string* const found = find(name);
  if (found == nullptr) return otherwise;
  const std::optional<std::uint64_t> value = whole<std::uint64_t>(*found);
  if (!value) refuse(name, fmt::format("\"{}\" is no whole number", ascii::shown(*found)));
  return value.value_or(otherwise);
}

double OptionReader::decimal(std::string_view name, double max) {
  const std::string* const found = find(name);
  if (found == nullptr) return 0;
  const std::optional<double> value = whole<double>(*found);
  if (value && *value >= 0 && *value <= max) return *value;
  refuse(name, fmt::format("\"{}\" is no number from 0 to {}", ascii::shown(*found), max));
  return 0;
}

std::optional<bool> OptionReader::flag(std::string_view name) {
  const std::string* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (*found == "true" || *found == "false") return *found == "true";
  refuse(name, fmt::format("\"{}\" is neither true nor false", ascii::shown(*found)));
  return std::nullopt;
}

Status OptionReader::finish() const {
  for (const auto& [name, value] : uri_.options) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string takes =
        known_.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known_, ", "));
    return Error{Errc::usage,
                 fmt::format("unknown option {} of a {}:// URI{}; {}", ascii::shown(name),
                             uri_.scheme, did_you_mean(name, known_), takes)};
  }
  return error_ ? Status(*error_) : Status(Unit{});
}

}  // namespace wherry::storage
