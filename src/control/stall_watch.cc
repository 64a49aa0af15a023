#include "control/stall_watch.h"

namespace wherry::control {

std::optional<Stall> StallWatch::look(const feed::FeedProgress& progress,
                                      std::chrono::steady_clock::time_point now,
                                      std::chrono::milliseconds limit) {
  const bool moves =
      !moved_ || progress.cseq != moved_->cseq || progress.rows_copied != moved_->rows;
  if (moves) {
    moved_ = Moved{now, progress.cseq, progress.rows_copied, progress.lag};
    return std::nullopt;
  }
  if (progress.lag <= moved_->lag) {
    // Nothing is behind any more than it was: an idle source, or one that is slow in telling.
    moved_->at = now;
    moved_->lag = progress.lag;
    return std::nullopt;
  }
  if (now - moved_->at < limit) return std::nullopt;
  return Stall{moved_->at, progress.waiting_for.empty() ? "the feed does not say what it waits for"
                                                        : progress.waiting_for};
}

}  // namespace wherry::control
