#include "verify/checksum.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "support/guarded.h"
#include "verify/server_reader.h"
#include "verify/split.h"
#include "verify/table_compare.h"

namespace wherry::verify {
namespace {

// A range is read again as a whole when its query fails, so wide rows make it shorter.
constexpr std::uint64_t kRangeBytesMax = 64U << 20;
constexpr std::uint64_t kRangeRowsMin = 100;
constexpr std::size_t kPartsPerWorker = 4;
constexpr std::chrono::milliseconds kStopPoll{50};

struct Task {
  enum class Kind { plan, range, bag };
  Kind kind = Kind::plan;
  std::size_t table = 0;
  KeyRange range;
};

struct TableWork {
  std::shared_ptr<const ComparePlan> plan;
  TableVerdict verdict;
  std::size_t open_tasks = 1;
  bool failed = false;
  std::uint64_t rows_seen = 0;  // for the progress
};

struct Board {
  std::deque<Task> tasks;
  std::vector<TableWork> tables;
  std::size_t running = 0;  // tasks that may still add others
  std::size_t workers = 0;
};

std::uint64_t range_rows(const ComparePlan& plan, std::uint64_t wanted) {
  const std::uint64_t row_bytes = std::max<std::uint64_t>(1, plan.row_bytes_estimate);
  return std::max<std::uint64_t>(
      1, std::min(wanted, std::max(kRangeRowsMin, kRangeBytesMax / row_bytes)));
}

void add_note(TableVerdict& verdict, std::string_view note) {
  if (!verdict.note.empty()) verdict.note += "; ";
  verdict.note += note;
}

// One thread's work, with a session to each side.
class Worker {
 public:
  struct Job {
    const std::vector<TablePair>& tables;
    const ChecksumOptions& options;
    const std::atomic<bool>& stop;
    Guarded<Board>& board;
  };

  Worker(const Job& job, const SessionFactory& source, const SessionFactory& target)
      : job_(job), source_(source, job.stop), target_(target, job.stop) {}

  void run() {
    while (std::optional<Task> task = take()) {
      Result<Findings> findings = Findings{};
      std::vector<Task> more;
      if (task->kind == Task::Kind::plan) {
        Result<std::vector<Task>> planned = plan(task->table);
        if (planned.ok())
          more = std::move(planned).value();
        else
          findings = planned.error();
      } else if (!has_failed(task->table)) {
        findings = compare(*task);
      }
      finish(*task, std::move(findings), std::move(more));
    }
    job_.board.with([](Board& board) { --board.workers; });
  }

  void interrupt() {
    source_.interrupt();
    target_.interrupt();
  }

 private:
  std::optional<Task> take();
  bool has_failed(std::size_t table) const {
    return job_.board.read([table](const Board& board) { return board.tables[table].failed; });
  }
  Result<std::vector<Task>> plan(std::size_t table);
  Result<std::vector<KeyRange>> parts_of(const ComparePlan& plan);
  Result<Findings> compare(const Task& task);
  void finish(const Task& task, Result<Findings> findings, std::vector<Task> more);

  const Job job_;
  Connection source_;
  Connection target_;
};

std::optional<Task> Worker::take() {
  return job_.board.wait(
      [](const Board& board) { return !board.tasks.empty() || board.running == 0; },
      [](Board& board) -> std::optional<Task> {
        if (board.tasks.empty()) return std::nullopt;
        Task task = std::move(board.tasks.front());
        board.tasks.pop_front();
        ++board.running;
        return task;
      });
}

Result<std::vector<Task>> Worker::plan(std::size_t table) {
  Result<mysql::ServerFacts> source = source_.facts();
  if (!source.ok()) return source.error().within("source");
  Result<mysql::ServerFacts> target = target_.facts();
  if (!target.ok()) return target.error().within("target");
  Result<ComparePlan> made = make_plan(job_.tables[table], source.value(), target.value());
  if (!made.ok()) return made.error();
  const auto plan = std::make_shared<const ComparePlan>(std::move(made).value());
  job_.board.with([&](Board& board) { board.tables[table].plan = plan; });
  if (plan->order == Order::none) return std::vector<Task>{{Task::Kind::bag, table, {}}};
  Result<std::vector<KeyRange>> parts = parts_of(*plan);
  if (!parts.ok()) return parts.error().within("source");
  std::vector<Task> tasks;
  for (KeyRange& part : parts.value()) tasks.push_back({Task::Kind::range, table, std::move(part)});
  return tasks;
}

Result<std::vector<KeyRange>> Worker::parts_of(const ComparePlan& plan) {
  const std::vector<KeyRange> whole(1);
  const std::uint64_t ranges = plan.rows_estimate / range_rows(plan, job_.options.range_rows);
  const PlanField& first = plan.fields[plan.key[0]];
  if (job_.options.workers < 2 || ranges < 4 || !can_split(first)) return whole;
  const std::size_t from = plan.source.select.find(" FROM ");
  std::vector<KeyRange> parts = whole;
  const std::string sql = fmt::format("SELECT MIN({0}), MAX({0}){1}", plan.source.columns[0],
                                      plan.source.select.substr(from));
  Status done = source_.run([&](mysql::Session& session) -> Status {
    Result<mysql::Rows> rows = session.query(sql);
    if (!rows.ok()) return rows.error();
    const auto& row = rows.value().rows.at(0);
    if (!row[0] || !row[1]) return Unit{};
    parts = split(first, *row[0], *row[1],
                  std::min<std::size_t>(job_.options.workers * kPartsPerWorker, ranges / 2));
    return Unit{};
  });
  if (!done.ok()) return done.error();
  return parts;
}

Result<Findings> Worker::compare(const Task& task) {
  const auto plan =
      job_.board.read([&](const Board& board) { return board.tables[task.table].plan; });
  ServerReader source(source_, *plan, plan->source);
  ServerReader target(target_, *plan, plan->target);
  CompareLimits limits;
  limits.range_rows = range_rows(*plan, job_.options.range_rows);
  limits.listed_max = job_.options.listed_max;
  limits.recheck = job_.options.recheck;
  limits.recheck_pause = job_.options.recheck_pause;
  limits.catch_up = job_.options.catch_up;
  const auto progress = [&](std::uint64_t rows) {
    const std::uint64_t seen =
        job_.board.with([&](Board& board) { return board.tables[task.table].rows_seen += rows; });
    if (job_.options.progress) job_.options.progress(plan->table, seen);
  };
  TableCompare comparison({source, target}, *plan, limits, job_.stop, progress);
  Findings findings;
  Status done = task.kind == Task::Kind::bag ? comparison.as_bag(findings)
                                             : comparison.by_ranges(task.range, findings);
  if (!done.ok()) return done.error();
  return findings;
}

void Worker::finish(const Task& task, Result<Findings> findings, std::vector<Task> more) {
  job_.board.with([&](Board& board) {
    TableWork& work = board.tables[task.table];
    TableVerdict& verdict = work.verdict;
    work.open_tasks += more.size();
    --work.open_tasks;
    --board.running;
    // New tasks of this table go first: a large table is best begun early by everybody.
    std::move(more.rbegin(), more.rend(), std::front_inserter(board.tasks));
    if (!findings.ok()) {
      if (!work.failed) add_note(verdict, "not compared: " + findings.error().what);
      work.failed = true;
      return;
    }
    Findings& found = findings.value();
    const bool again = task.kind == Task::Kind::bag && work.plan->order == Order::likely;
    if (again) {
      verdict.rows = 0;
      verdict.differences = 0;
      verdict.listed.clear();
    }
    verdict.rows += found.rows;
    verdict.ranges += found.ranges;
    verdict.differences += found.differences;
    const std::size_t room =
        job_.options.listed_max - std::min(job_.options.listed_max, verdict.listed.size());
    const std::size_t taken = std::min(room, found.listed.size());
    std::move(found.listed.begin(), found.listed.begin() + static_cast<std::ptrdiff_t>(taken),
              std::back_inserter(verdict.listed));
    if (found.at_least)
      add_note(verdict, "at least so many differences: there are too many to count each");
    if (found.moving > 0) {
      add_note(verdict, fmt::format("{} rows are not comparable while written to: they were others "
                                    "at each look",
                                    found.moving));
    }
    if (work.open_tasks > 0 || work.failed) return;
    // Two servers may sort text differently under one name: then ranges differ though the rows
    // agree.
    if (work.plan->order == Order::likely && verdict.differences > 0 && !again) {
      ++work.open_tasks;
      work.rows_seen = 0;
      board.tasks.push_front({Task::Kind::bag, task.table, {}});
      return;
    }
    if (work.plan->order == Order::none) {
      add_note(verdict, work.plan->key.empty() ? "compared as a bag of rows: no usable key"
                                               : "compared without the order of its key");
    }
    verdict.compared = true;
  });
}

// The largest tables first, so that none is left for the end alone.
std::deque<Task> first_tasks(const std::vector<TablePair>& tables) {
  std::vector<std::size_t> order(tables.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tables[a].source.data_bytes_estimate > tables[b].source.data_bytes_estimate;
  });
  std::deque<Task> tasks;
  for (const std::size_t table : order) tasks.push_back({Task::Kind::plan, table, {}});
  return tasks;
}

}  // namespace

Result<std::vector<TableVerdict>> compare_tables(const std::vector<TablePair>& tables,
                                                 const SessionFactory& source,
                                                 const SessionFactory& target,
                                                 const ChecksumOptions& options,
                                                 const std::atomic<bool>& stop) {
  Guarded<Board> board;
  const std::size_t count = std::max(1U, options.workers);
  board.with([&](Board& fresh) {
    fresh.tasks = first_tasks(tables);
    fresh.tables.resize(tables.size());
    fresh.workers = count;
    for (std::size_t i = 0; i < tables.size(); ++i)
      fresh.tables[i].verdict.table = tables[i].source.name;
  });
  const Worker::Job job{tables, options, stop, board};
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>(job, source, target));
    threads.emplace_back([worker = workers.back().get()]() noexcept { worker->run(); });
  }
  while (!board.wait_for(kStopPoll, [](const Board& now) { return now.workers == 0; })) {
    if (!stop) continue;
    for (const auto& worker : workers) worker->interrupt();
  }
  for (std::thread& thread : threads) thread.join();
  if (stop) return Error{Errc::interrupted, "stopped while comparing", 0};
  std::vector<TableVerdict> verdicts;
  board.with([&](Board& done) {
    for (TableWork& work : done.tables) verdicts.push_back(std::move(work.verdict));
  });
  return verdicts;
}

}  // namespace wherry::verify
