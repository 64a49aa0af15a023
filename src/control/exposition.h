// Metrics as Prometheus reads them: families of samples, all with the prefix wherry_. One owner.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace wherry::control {

// A label's value between its quotes.
inline std::string label_text(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP wherry_{0} {2}\n# TYPE wherry_{0} {1}\n",
                   name, type, help);
  }
  template <typename V>
  void sample(std::string_view name, std::string_view labels, V value) {
    const std::string_view open = labels.empty() ? "" : "{";
    const std::string_view close = labels.empty() ? "" : "}";
    fmt::format_to(std::back_inserter(text_), "wherry_{}{}{}{} {}\n", name, open, labels, close,
                   value);
  }
  template <typename V>
  void single(std::string_view name, std::string_view type, std::string_view help, V value) {
    family(name, type, help);
    sample(name, "", value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace wherry::control
