// Reads the options of a storage's URI. The first thing that is wrong is kept and told at the end,
// so that a caller asks for one option after the other and looks once. Borrows the URI. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/uri.h"
#include "support/result.h"

namespace wherry::storage {

class OptionReader {
 public:
  explicit OptionReader(const Uri& uri) : uri_(uri) {}

  std::string text(std::string_view name, std::string_view otherwise = {});
  std::chrono::milliseconds duration(std::string_view name);
  std::uint64_t size(std::string_view name, std::uint64_t otherwise = 0);
  std::uint64_t number(std::string_view name, std::uint64_t otherwise = 0);
  // From 0 to max.
  double decimal(std::string_view name, double max);
  std::optional<bool> flag(std::string_view name);

  // Errc::usage: a value that could not be read, or an option that nobody asked for.
  Status finish() const;

 private:
  const std::string* find(std::string_view name);
  void refuse(std::string_view name, const std::string& why);

  const Uri& uri_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace wherry::storage
