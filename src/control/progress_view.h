// Shows a running copy on stderr: a bar on a terminal's last line, a line every ten seconds
// elsewhere, or a JSON document a second. Owns one thread from construction to destruction and
// reads only published statuses.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "control/options.h"
#include "control/status.h"

namespace wherry::control {

class ProgressView {
 public:
  ProgressView(ProgressMode mode, std::function<std::shared_ptr<const CopyStatus>()> status);
  ~ProgressView();
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "copying 1234567 of 2200000 rows (56 %), 190 k rows/s, 44.1 MB/s, lag 0.3s, ETA 12s"
std::string progress_line(const CopyStatus& status);
// The same with a bar of its own, cut to the width of the terminal.
std::string progress_bar(const CopyStatus& status, std::size_t width);

}  // namespace wherry::control
