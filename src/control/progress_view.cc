#include "control/progress_view.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "control/status_json.h"
#include "support/guarded.h"
#include "support/log.h"
#include "support/units.h"

namespace wherry::control {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBarInterval{250};
constexpr milliseconds kLinesInterval{10'000};
constexpr milliseconds kJsonInterval{1'000};

std::string rows_text(double rows) {
  if (rows >= 10e6) return fmt::format("{:.1f} M", rows / 1e6);
  if (rows >= 10e3) return fmt::format("{:.0f} k", rows / 1e3);
  return fmt::format("{:.0f}", rows);
}

// What the present state counts: rows compared while it verifies, rows copied else.
struct Work {
  std::uint64_t done = 0, of = 0;
};

Work work_of(const CopyStatus& status) {
  Work work{status.rows_copied, status.rows_estimate};
  if (status.state == CopyState::verifying) work = {rows_verified(status), status.rows_estimate};
  if (work.of > 0) work.of = std::max(work.of, work.done);
  return work;
}

// The estimate may be too small, so what runs on shows 99 %.
std::optional<double> share(const CopyStatus& status) {
  const Work work = work_of(status);
  const double part =
      work.of == 0 ? 0 : static_cast<double>(work.done) / static_cast<double>(work.of);
  if (status.state == CopyState::verifying) return std::min(part, 0.99);
  const bool copied = std::all_of(status.tables.begin(), status.tables.end(),
                                  [](const TableStatus& table) { return table.copied; });
  if (copied && !status.tables.empty()) return 1.0;
  if (work.of == 0) return std::nullopt;
  return std::min(part, 0.99);
}

std::string tail(const CopyStatus& status) {
  std::string out;
  if (status.rows_per_second > 0) {
    out += fmt::format(", {} rows/s, {:.1f} MB/s", rows_text(status.rows_per_second),
                       status.bytes_per_second / 1e6);
  }
  if (status.changes_applied > 0) out += fmt::format(", {} changes", status.changes_applied);
  out += fmt::format(", lag {}", format_duration(status.lag));
  if (status.eta) out += fmt::format(", ETA {}", format_duration(*status.eta));
  if (!status.waiting_for.empty()) out += fmt::format(", waiting for {}", status.waiting_for);
  return out;
}

std::size_t terminal_width() {
  winsize size{};
  constexpr std::size_t kPlain = 80;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kPlain;
  return size.ws_col;
}

ProgressMode resolved(ProgressMode mode) {
  if (mode != ProgressMode::automatic) return mode;
  return ::isatty(STDERR_FILENO) == 1 ? ProgressMode::bar : ProgressMode::lines;
}

milliseconds interval_of(ProgressMode mode) {
  switch (mode) {
    case ProgressMode::bar:
      return kBarInterval;
    case ProgressMode::json:
      return kJsonInterval;
    case ProgressMode::automatic:
    case ProgressMode::lines:
    case ProgressMode::none:
      return kLinesInterval;
  }
  return kLinesInterval;
}

void show(ProgressMode mode, const CopyStatus& status) {
  switch (mode) {
    case ProgressMode::bar:
      log::set_status_line(progress_bar(status, terminal_width()));
      return;
    case ProgressMode::json: {
      const std::string line = dump(progress_json(status)) + "\n";
      std::fwrite(line.data(), 1, line.size(), stderr);
      return;
    }
    case ProgressMode::automatic:
    case ProgressMode::lines:
      log::info("copy", "{}", progress_line(status));
      return;
    case ProgressMode::none:
      return;
  }
}

}  // namespace

std::string progress_line(const CopyStatus& status) {
  const Work work = work_of(status);
  std::string out = fmt::format("{} {}", to_string(status.state), work.done);
  out += work.of > 0 ? fmt::format(" of {} rows", work.of) : " rows";
  if (const std::optional<double> part = share(status))
    out += fmt::format(" ({:.0f} %)", *part * 100);
  return out + tail(status);
}

std::string progress_bar(const CopyStatus& status, std::size_t width) {
  constexpr std::size_t kCellsLeast = 5;
  constexpr std::size_t kCellsMost = 40;
  const double part = share(status).value_or(0);
  const std::string left = fmt::format("{:<11} ", to_string(status.state));
  const std::string right = fmt::format(" {:3.0f} %{}", part * 100, tail(status));
  // One short of the width: a full last column makes terminals wrap.
  const std::size_t taken = left.size() + right.size() + 3;
  const std::size_t cells = std::clamp(width > taken ? width - taken : 0, kCellsLeast, kCellsMost);
  const auto full = static_cast<std::size_t>(part * static_cast<double>(cells));
  std::string out = fmt::format("{}[{}{}]{}", left, std::string(full, '#'),
                                std::string(cells - full, '.'), right);
  if (width > 0 && out.size() >= width) out.resize(width - 1);
  return out;
}

struct ProgressView::Impl {
  ProgressMode mode;
  std::function<std::shared_ptr<const CopyStatus>()> status;
  Guarded<bool> ended{false};
  std::thread thread;

  void run() {
    while (!ended.wait_for(interval_of(mode), [](bool value) { return value; })) {
      const std::shared_ptr<const CopyStatus> current = status();
      if (current) show(mode, *current);
    }
    if (mode == ProgressMode::bar) return log::set_status_line("");
    // However short the run was, its end is shown.
    if (const std::shared_ptr<const CopyStatus> last = status()) show(mode, *last);
  }
};

ProgressView::ProgressView(ProgressMode mode,
                           std::function<std::shared_ptr<const CopyStatus>()> status)
    : impl_(std::make_unique<Impl>()) {
  impl_->mode = resolved(mode);
  impl_->status = std::move(status);
  if (impl_->mode != ProgressMode::none) {
    impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
  }
}

ProgressView::~ProgressView() {
  impl_->ended.with([](bool& value) { value = true; });
  if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace wherry::control
