// The right word for one that is nearly right, for messages that say what was probably meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wherry {

// The word of the list that takes the fewest edits, or empty where none is near enough to be meant.
// Case and the difference between '-' and '_' cost nothing.
std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

// " (did you mean X?)", or empty where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> words);

}  // namespace wherry
