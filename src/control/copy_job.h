// One migration from start to end: the state machine of `wherry copy`. run() blocks its caller and
// owns every thread below it; the other calls may come from any thread while it runs, and before
// and after. status() hands out one immutable value that the job republishes at least every second.
#pragma once

#include <memory>

#include "control/live_settings.h"
#include "control/options.h"
#include "control/status.h"
#include "model/uri.h"
#include "support/result.h"

namespace wherry::control {

enum class CopyAction { pause, resume, cutover, stop };

class CopyJob {
 public:
  explicit CopyJob(CopyOptions options);
  ~CopyJob();
  CopyJob(const CopyJob&) = delete;
  CopyJob& operator=(const CopyJob&) = delete;

  // Returns when the copy is done, has failed or was stopped; the status then says the same.
  // Errc::refused: nothing was written. Errc::interrupted: can be resumed.
  Status run();

  std::shared_ptr<const CopyStatus> status() const;

  // Asks; the effect shows in a later status. Errc::conflict when it comes at the wrong time.
  Result<Unit> request(CopyAction action);

  // Goes on from another server that holds all that was read so far (the same one by another
  // address, or a promoted replica). Errc::conflict at the wrong time, Errc::refused where it does
  // not.
  Status swap_source(const Endpoint& endpoint);

  // Takes effect for what starts later: the next chunk, the next second of the rate.
  Status change_settings(const LiveSettings& settings);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wherry::control
