#include "control/job_status.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "support/log.h"

namespace wherry::control {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kDifferencesMax = 1000;

std::string_view text_of(verify::RowDifference::Kind kind) {
  switch (kind) {
    case verify::RowDifference::Kind::missing_on_target:
      return "missing on target";
    case verify::RowDifference::Kind::only_on_target:
      return "only on target";
    case verify::RowDifference::Kind::differs:
      return "differs";
  }
  return "differs";
}

}  // namespace

JobStatus::JobStatus() {
  now_.started = std::chrono::system_clock::now();
  publish();
}

std::shared_ptr<const CopyStatus> JobStatus::get() const {
  return published_.read([](const auto& status) { return status; });
}

void JobStatus::publish() {
  now_.updated = std::chrono::system_clock::now();
  auto next = std::make_shared<const CopyStatus>(now_);
  published_.with([&](auto& status) { status = std::move(next); });
}

void JobStatus::enter(CopyState state) {
  const auto at = std::chrono::steady_clock::now();
  now_.phase_seconds[std::string(to_string(state_))] +=
      std::chrono::duration<double>(at - entered_).count();
  entered_ = at;
  if (state != state_) log::info("control", "{}", to_string(state));
  state_ = now_.state = state;
  publish();
}

TableStatus& JobStatus::table(const std::string& name) {
  const auto [place, fresh] = places_.try_emplace(name, now_.tables.size());
  if (!fresh) return now_.tables[place->second];
  TableStatus added;
  added.name = name;
  added.verified = "not verified";
  now_.tables.push_back(std::move(added));
  return now_.tables.back();
}

bool JobStatus::due() const { return std::chrono::steady_clock::now() >= next_; }

void JobStatus::begin(const RunPlan& plan) {
  now_.start = plan.first;
  now_.warnings.insert(now_.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  for (const dispatch::PlanPtr& one : plan.plans) {
    TableStatus& status = table(one->source.name.to_string());
    status.target_name = one->target.to_string();
    status.rows_estimate = one->source.rows_estimate;
  }
  now_.resumable = true;
  publish();
}

void JobStatus::update_tables(const std::vector<dispatch::PlanPtr>& plans) {
  now_.rows_estimate = now_.rows_copied = now_.bytes_copied = now_.changes_applied = 0;
  // Tables that a statement of the source dropped or renamed are no longer part of the copy.
  std::set<std::string> followed;
  for (const dispatch::PlanPtr& plan : plans) followed.insert(plan->source.name.to_string());
  if (std::erase_if(now_.tables,
                    [&](const TableStatus& one) { return !followed.contains(one.name); }) > 0) {
    places_.clear();
    for (std::size_t i = 0; i < now_.tables.size(); ++i) places_[now_.tables[i].name] = i;
  }
  for (const dispatch::PlanPtr& plan : plans) {
    TableStatus& status = table(plan->source.name.to_string());
    status.target_name = plan->target.to_string();
    status.rows_copied = plan->state->rows_copied;
    status.bytes_copied = plan->state->bytes_copied;
    status.changes_applied = plan->state->changes_applied;
    status.copied = !plan->state->open();
    // The server's estimate is rough; what was copied is not.
    status.rows_estimate =
        status.copied ? status.rows_copied : std::max(status.rows_estimate, status.rows_copied);
    now_.rows_estimate += status.rows_estimate;
    now_.rows_copied += status.rows_copied;
    now_.bytes_copied += status.bytes_copied;
    now_.changes_applied += status.changes_applied;
  }
}

void JobStatus::update_rates() {
  const auto at = std::chrono::steady_clock::now();
  samples_.push_back({at, now_.rows_copied, now_.bytes_copied});
  while (samples_.size() > 2 && at - samples_.front().at > 10s) samples_.pop_front();
  const double seconds = std::chrono::duration<double>(at - samples_.front().at).count();
  now_.eta.reset();
  if (seconds < 0.2) return;
  now_.rows_per_second = static_cast<double>(now_.rows_copied - samples_.front().rows) / seconds;
  now_.bytes_per_second = static_cast<double>(now_.bytes_copied - samples_.front().bytes) / seconds;
  if (state_ != CopyState::copying || now_.rows_per_second <= 0) return;
  const double left =
      static_cast<double>(now_.rows_estimate - std::min(now_.rows_estimate, now_.rows_copied));
  now_.eta = std::chrono::seconds(static_cast<std::int64_t>(left / now_.rows_per_second));
}

void JobStatus::update(const EngineNumbers& numbers, const std::vector<dispatch::PlanPtr>& plans,
                       bool paused, std::uint64_t generation) {
  constexpr auto kEachTable = 100us;
  next_ = std::chrono::steady_clock::now() + kEachTable * plans.size();
  update_tables(plans);
  update_rates();
  now_.state = paused ? CopyState::paused : state_;
  now_.waiting_for = numbers.waiting_for;
  now_.transactions_applied = numbers.transactions;
  now_.ignored = numbers.ignored;
  now_.lag = numbers.lag;
  now_.current = numbers.low.position;
  now_.source_generation = generation;
  publish();
}

void JobStatus::fenced() {
  now_.source_fenced = true;
  publish();
}

void JobStatus::stop_at(const Position& stop) {
  now_.stop = stop;
  publish();
}

void JobStatus::downtime(std::chrono::milliseconds time) {
  now_.downtime = time;
  publish();
}

void JobStatus::warn(const std::vector<std::string>& warnings) {
  now_.warnings.insert(now_.warnings.end(), warnings.begin(), warnings.end());
  publish();
}

void JobStatus::verifying(const std::map<TableName, std::uint64_t>& rows) {
  for (const auto& [name, count] : rows) table(name.to_string()).rows_verified = count;
  publish();
}

Status JobStatus::verified(const std::vector<verify::TableVerdict>& verdicts) {
  std::uint64_t different = 0;
  std::string uncompared;
  for (const verify::TableVerdict& verdict : verdicts) {
    TableStatus& status = table(verdict.table.to_string());
    status.rows_verified = verdict.rows;
    status.differences = verdict.differences;
    status.verified = !verdict.compared          ? "not verified"
                      : verdict.differences == 0 ? "equal"
                                                 : "different";
    different += verdict.differences;
    if (!verdict.compared)
      uncompared += fmt::format("{}{} ({})", uncompared.empty() ? "" : ", ",
                                verdict.table.to_string(), verdict.note);
    for (const verify::RowDifference& row : verdict.listed) {
      if (now_.differences.size() >= kDifferencesMax) break;
      Difference difference{verdict.table.to_string(), row.key, std::string(text_of(row.kind)), {}};
      for (const verify::ColumnDifference& column : row.columns)
        difference.columns.push_back(column.column);
      now_.differences.push_back(std::move(difference));
    }
  }
  publish();
  if (different != 0)
    return Error{Errc::differs, fmt::format("{} rows differ between source and target", different),
                 0};
  if (!uncompared.empty()) return Error{Errc::conflict, "could not be verified: " + uncompared, 0};
  return Unit{};
}

void JobStatus::end(const Status& outcome) {
  if (outcome.ok()) {
    now_.resumable = false;
    now_.lag = 0ms;
    now_.waiting_for.clear();
    enter(CopyState::done);
    return;
  }
  const Error& error = outcome.error();
  now_.error = error;
  if (error.code == Errc::refused || error.code == Errc::usage) now_.resumable = false;
  enter(error.code == Errc::interrupted ? CopyState::interrupted : CopyState::failed);
}

}  // namespace wherry::control
