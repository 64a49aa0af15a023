#include "feed/place_trail.h"

#include <algorithm>

namespace wherry::feed {

std::uint32_t PlaceTrail::index_of(std::vector<std::string>& names, const std::string& name) {
  // What is looked for is nearly always one of the newest.
  const auto found = std::find(names.rbegin(), names.rend(), name);
  if (found != names.rend()) return static_cast<std::uint32_t>(names.rend() - found - 1);
  names.push_back(name);
  return static_cast<std::uint32_t>(names.size() - 1);
}

Result<store::Place> PlaceTrail::begin(std::uint64_t cseq) {
  Result<store::Place> place = log_.lookup().place_after(cseq);
  if (!place.ok()) return place.error();
  Result<store::PlaceTracker> tracker = store::PlaceTracker::make(dialect_, place.value());
  if (!tracker.ok()) return tracker.error();
  tracker_ = std::move(tracker).value();
  return place;
}

void PlaceTrail::add(const decode::Batch& batch) {
  trail_.with([&](Trail& trail) {
    const std::uint32_t file = index_of(trail.names, batch.file);
    for (const decode::Group& group : batch.groups) {
      if (!group.closes) continue;
      if (trail.steps.size() >= steps_max_) {
        trail.gap_through = trail.steps.back().cseq;
        trail.steps.clear();
      }
      Step step{group.cseq, group.end_offset, group.commit_us, batch.generation, group.gtid, file};
      step.gtid.source = 0;
      if (group.gtid.number != 0 && group.gtid.source < batch.gtid_sources.size())
        step.gtid.source = index_of(trail.names, batch.gtid_sources[group.gtid.source]);
      trail.steps.push_back(step);
    }
  });
}

Result<store::Place> PlaceTrail::advance(std::uint64_t cseq) {
  if (cseq == tracker_->newest().cseq) return tracker_->place();
  const bool gap =
      trail_.read([&](const Trail& trail) { return trail.gap_through > tracker_->newest().cseq; });
  if (gap) {
    if (Result<store::Place> begun = begin(cseq); !begun.ok()) return begun.error();
  }
  trail_.with([&](Trail& trail) {
    while (!trail.steps.empty() && trail.steps.front().cseq <= cseq) {
      const Step& step = trail.steps.front();
      store::Commit commit;
      commit.cseq = step.cseq;
      commit.commit_us = step.commit_us;
      commit.generation = step.generation;
      commit.file = trail.names[step.file];
      commit.end_offset = step.end_offset;
      commit.gtid_number = step.gtid.number;
      commit.gtid_domain = step.gtid.domain;
      commit.gtid_server = step.gtid.server;
      if (dialect_ == Dialect::mysql) commit.gtid_source = trail.names[step.gtid.source];
      if (step.cseq > tracker_->newest().cseq) tracker_->add(commit);
      trail.steps.pop_front();
    }
  });
  return tracker_->place();
}

}  // namespace wherry::feed
