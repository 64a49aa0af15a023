// One feed while it runs: from the log of its source to its sink. What kind of sink it has is the
// business of the class behind this one; whoever steers feeds sees only this.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/position.h"
#include "support/result.h"

namespace wherry::feed {

// How often something took how long.
struct Histogram {
  std::vector<double> upper;          // seconds; each bucket's end
  std::vector<std::uint64_t> counts;  // one more: the last has no end
  double sum = 0;                     // of all of them, in seconds
};

// One immutable look at a feed, published at least once a second, whatever happens.
struct FeedProgress {
  std::uint64_t cseq = 0;       // everything through it is durable at the sink
  Position position;            // the same in the source's terms: a restart begins there
  std::uint64_t commit_us = 0;  // of the last transaction through there; 0: none yet
  std::chrono::milliseconds lag{0};
  bool copied = true;  // no snapshot, or all of it is at the sink
  std::uint64_t rows_copied = 0;
  std::uint64_t transactions = 0;  // since the feed was started
  std::uint64_t changes = 0;
  std::uint64_t filtered = 0;                    // rows and changes left out by `where` and `skip`
  std::map<std::string, std::uint64_t> ignored;  // by kind of statement
  // Who waits for what, for people: "t2 waits for the sink (12 s)". Empty: nothing does.
  std::string waiting_for;
  std::map<std::string, double> gauges;  // of the sink's kind, by metric name without prefix
  std::map<std::string, Histogram> histograms;
};

class Feed {
 public:
  virtual ~Feed() = default;

  // Runs until stop() or an error. Errc::interrupted after stop(): everything that was accepted is
  // durable and recorded, and a new object goes on from there. One thread, once.
  virtual Status run() = 0;
  // Any thread; returns at once.
  virtual void stop() = 0;
  virtual std::shared_ptr<const FeedProgress> progress() const = 0;
  // Any thread: records a consistent cut of source and target soon. Errc::unsupported: the sink
  // knows no such thing.
  virtual Status request_syncpoint() = 0;
};

}  // namespace wherry::feed
