#include "control/verify_step.h"

#include <set>

#include "mysql/binlog_position.h"
#include "mysql/schema_reader.h"

namespace wherry::control {

using namespace std::chrono_literals;

void VerifyStep::start() {
  thread_ = std::thread([this] {
    result_ = run();
    done_ = true;
  });
}

void VerifyStep::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

std::map<TableName, std::uint64_t> VerifyStep::rows() const {
  return rows_.read([](const auto& rows) { return rows; });
}

Result<std::vector<verify::TableVerdict>> VerifyStep::result() {
  if (thread_.joinable()) thread_.join();
  return *result_;
}

Result<std::vector<verify::TablePair>> VerifyStep::pairs() const {
  std::set<TableName> from_names, to_names;
  for (const dispatch::PlanPtr& plan : plans_) {
    from_names.insert(plan->source.name);
    to_names.insert(plan->target);
  }
  Result<std::unique_ptr<mysql::Session>> from =
      mysql::Session::open(runtime_.lease().generation().endpoint(), {});
  if (!from.ok()) return from.error();
  Result<std::unique_ptr<mysql::Session>> to = mysql::Session::open(options_.target, {});
  if (!to.ok()) return to.error();
  Result<std::vector<Table>> sources = mysql::read_tables(
      *from.value(), [&](const TableName& name) { return from_names.contains(name); });
  if (!sources.ok()) return sources.error();
  Result<std::vector<Table>> targets = mysql::read_tables(
      *to.value(), [&](const TableName& name) { return to_names.contains(name); });
  if (!targets.ok()) return targets.error();
  std::map<TableName, Table> by_source, by_target;
  for (Table& table : sources.value()) by_source[table.name] = std::move(table);
  for (Table& table : targets.value()) by_target[table.name] = std::move(table);
  std::vector<verify::TablePair> pairs;
  for (const dispatch::PlanPtr& plan : plans_) {
    const auto source = by_source.find(plan->source.name);
    const auto target = by_target.find(plan->target);
    if (source == by_source.end() || target == by_target.end()) {
      return Error{Errc::conflict, plan->source.name.to_string() + " is missing on one side", 0};
    }
    // By the server's own word: it is another judge than the one that chose the rows.
    pairs.push_back(
        {source->second, target->second, plan->filter == nullptr ? "" : plan->filter->condition()});
  }
  return pairs;
}

Status VerifyStep::catch_up(const Endpoint& source) const {
  Result<std::unique_ptr<mysql::Session>> session = mysql::Session::open(source, {});
  if (!session.ok()) return session.error();
  const Result<Position> end = mysql::current_position(*session.value());
  if (!end.ok()) return end.error();
  session.value().reset();
  while (!stop_) {
    const Result<bool> there = applied_(end.value());
    if (!there.ok()) return there.error();
    if (there.value()) return Unit{};
    std::this_thread::sleep_for(20ms);
  }
  return Error{Errc::interrupted, "the verification was stopped"};
}

Result<std::vector<verify::TableVerdict>> VerifyStep::run() {
  Result<std::vector<verify::TablePair>> tables = pairs();
  if (!tables.ok()) return tables.error();
  verify::ChecksumOptions checksum;
  checksum.recheck = applied_ ? 20 : 0;
  checksum.progress = [this](const TableName& table, std::uint64_t rows) {
    rows_.with([&](auto& all) { all[table] = rows; });
  };
  const Endpoint source = runtime_.lease().generation().endpoint();
  if (applied_) checksum.catch_up = [this, &source] { return catch_up(source); };
  const auto open = [](const Endpoint& endpoint) { return mysql::Session::open(endpoint, {}); };
  return verify::compare_tables(
      tables.value(), [&] { return open(source); }, [&] { return open(options_.target); }, checksum,
      stop_);
}

}  // namespace wherry::control
