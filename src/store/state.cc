#include "store/state.h"

#include <algorithm>

namespace wherry::store {

void press_slowest(State& state, std::uint64_t disk_bytes_max) {
  const std::optional<std::uint64_t> slowest = released(state);
  const bool full = disk_bytes_max > 0 && state.disk_bytes >= disk_bytes_max / 5 * 4;
  for (auto& [name, consumer] : state.consumers)
    consumer.pressed = full && slowest && consumer.done == *slowest;
}

std::optional<std::uint64_t> released(const State& state) {
  const auto slowest =
      std::min_element(state.consumers.begin(), state.consumers.end(),
                       [](const auto& a, const auto& b) { return a.second.done < b.second.done; });
  if (slowest == state.consumers.end()) return std::nullopt;
  return slowest->second.done;
}

Definition find_definition(const State& state, std::uint64_t id) {
  const auto known = state.definitions.find(id);
  return known == state.definitions.end() ? nullptr : known->second.content;
}

std::uint64_t last_cseq(const Segment& segment) {
  const Point& end = segment.content.end;
  return end.row == 0 ? end.cseq - 1 : end.cseq;
}

}  // namespace wherry::store
