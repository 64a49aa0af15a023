#include "store/consumer.h"

#include <algorithm>

namespace wherry::store {

void Consumer::advance(std::uint64_t cseq) {
  shared_->with([&](State& state) {
    const auto self = state.consumers.find(name_);
    if (self == state.consumers.end() || cseq <= self->second.done) return;
    self->second.done = std::min(cseq, state.visible);
    // The flusher looks only when a whole segment may go.
    const std::optional<std::uint64_t> free = released(state);
    state.retention_due = state.retention_due || state.throttled ||
                          (free && !state.segments.empty() && state.segments.front().sealed &&
                           last_cseq(state.segments.front()) <= *free);
    press_slowest(state, disk_bytes_max_);
  });
}

Consumer::Standing Consumer::standing() const {
  return shared_->read([&](const State& state) {
    const auto self = state.consumers.find(name_);
    if (self == state.consumers.end()) return Standing{};
    return Standing{self->second.done, state.visible - std::min(state.visible, self->second.done),
                    self->second.pressed};
  });
}

Consumer::Standing Consumer::wait_for_change(bool pressed, std::chrono::milliseconds time) {
  shared_->wait_for(time, [&](const State& state) {
    const auto self = state.consumers.find(name_);
    return state.stopping || self == state.consumers.end() || self->second.pressed != pressed;
  });
  return standing();
}

void Consumer::forget() {
  shared_->with([&](State& state) {
    state.consumers.erase(name_);
    state.consumers_changed = state.retention_due = true;
    press_slowest(state, disk_bytes_max_);
  });
}

}  // namespace wherry::store
