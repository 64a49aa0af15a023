// What options' values become: one setter for each kind of value, shared by the tables of options.
// Each refers to the object that it fills, which must outlive it. An error need not name the
// option. Values; no threads.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/pattern.h"
#include "support/result.h"
#include "support/units.h"

namespace wherry::control {

using Setter = std::function<Status(const std::string&)>;

inline Error usage_error(std::string what) { return {Errc::usage, std::move(what), 0}; }

template <typename E>
struct Word {
  std::string_view word;
  E value;
};

template <typename E>
Setter choice_setter(E& into, std::vector<Word<std::type_identity_t<E>>> words) {
  return [&into, words = std::move(words)](const std::string& value) -> Status {
    std::string all;
    for (const Word<E>& word : words) {
      if (word.word == value) {
        into = word.value;
        return Unit{};
      }
      all += all.empty() ? "" : "|";
      all += word.word;
    }
    return usage_error(fmt::format("'{}' is none of {}", value, all));
  };
}

inline Setter text_setter(std::string& into) {
  return [&into](const std::string& value) -> Status {
    if (value.empty()) return usage_error("the value is empty");
    into = value;
    return Unit{};
  };
}

inline Setter flag_setter(bool& into) {
  return [&into](const std::string& value) -> Status {
    if (value != "true" && value != "false") return usage_error("it is true or false");
    into = value == "true";
    return Unit{};
  };
}

template <typename N>
Setter number_setter(N& into, std::uint64_t least, std::uint64_t most) {
  return [&into, least, most](const std::string& value) -> Status {
    std::uint64_t read = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, read);
    if (error != std::errc() || stop != end || read < least || read > most) {
      return usage_error(fmt::format("'{}' is not a number from {} to {}", value, least, most));
    }
    into = static_cast<N>(read);
    return Unit{};
  };
}

inline Setter size_setter(std::uint64_t& into) {
  return [&into](const std::string& value) -> Status {
    const Result<std::uint64_t> bytes = parse_size(value);
    if (!bytes.ok()) return bytes.error();
    into = bytes.value();
    return Unit{};
  };
}

inline Setter duration_setter(std::chrono::milliseconds& into) {
  return [&into](const std::string& value) -> Status {
    const Result<std::chrono::milliseconds> time = parse_duration(value);
    if (!time.ok()) return time.error();
    into = time.value();
    return Unit{};
  };
}

inline Setter pattern_setter(std::vector<std::string>& into) {
  return [&into](const std::string& value) -> Status {
    const Result<Pattern> parsed = Pattern::parse(value);
    if (!parsed.ok()) return parsed.error();
    into.push_back(value);
    return Unit{};
  };
}

}  // namespace wherry::control
