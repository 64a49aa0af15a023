#include "support/nearest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/ascii.h"

namespace wherry {
namespace {

// Words longer than this are no option names; the cost of a comparison stays bounded.
constexpr std::size_t kLettersMax = 64;

char folded(char c) { return c == '_' ? '-' : ascii::lower(c); }

// Edits of one letter: insert, remove, replace, or swap two neighbours.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = folded(a[i - 1]) == folded(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

// A word that the other begins with is probably meant, however much is missing at its end.
bool is_start(std::string_view word, std::string_view of) {
  return word.size() >= 3 && word.size() < of.size() && edits(word, of.substr(0, word.size())) == 0;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  if (word.empty() || word.size() > kLettersMax) return {};
  std::string_view best;
  std::size_t best_edits = 0;
  for (const std::string_view candidate : words) {
    if (candidate.size() > kLettersMax) continue;
    const std::size_t longest = std::max(word.size(), candidate.size());
    std::size_t distance = edits(word, candidate);
    if (is_start(word, candidate)) distance = std::min<std::size_t>(distance, 1);
    if (distance * 5 > longest * 2) continue;
    if (best.empty() || distance < best_edits) {
      best = candidate;
      best_edits = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> words) {
  const std::string_view meant = nearest(word, words);
  return meant.empty() ? std::string() : " (did you mean " + std::string(meant) + "?)";
}

}  // namespace wherry
