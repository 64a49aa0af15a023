#include "storage/emulated_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/object_name.h"
#include "storage/waiting.h"
#include "support/stop_link.h"

namespace wherry::storage {
namespace {

using std::chrono::duration_cast;

Clock::Duration time_for(std::uint64_t bytes, std::uint64_t per_second) {
  if (per_second == 0) return {};
  return duration_cast<Clock::Duration>(
      std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(per_second)));
}

Error broken(std::string_view why) { return {Errc::network, fmt::format("emulated: {}", why)}; }

// The beginning of an object, at most so long.
std::vector<Bytes> beginning(Parts parts, std::uint64_t bytes) {
  std::vector<Bytes> some;
  for (const Bytes part : parts) {
    some.push_back(part.first(std::min<std::uint64_t>(part.size(), bytes)));
    bytes -= some.back().size();
  }
  return some;
}

}  // namespace

EmulatedStorage::EmulatedStorage(std::shared_ptr<Storage> behind, const FaultOptions& options,
                                 Clock& clock)
    : behind_(std::move(behind)),
      options_(options),
      clock_(clock),
      dice_(options),
      stale_(options.stale, clock) {}

void EmulatedStorage::set_outage(Outage outage) {
  std::stop_source changed;
  line_.with([&](Line& line) {
    line.outage = outage;
    std::swap(line.changed, changed);
  });
  changed.request_stop();
}

// When a call that begins now has been answered.
Clock::Time EmulatedStorage::arrival(double latency_factor, std::uint64_t bytes) {
  const Clock::Time now = clock_.now();
  const auto latency = duration_cast<Clock::Duration>(std::chrono::duration<double, std::milli>(
      static_cast<double>(options_.latency.count()) * latency_factor));
  const Clock::Time alone = now + latency + time_for(bytes, options_.bandwidth);
  if (options_.link == 0) return alone;
  return line_.with([&](Line& line) {
    line.link_free_at = std::max(line.link_free_at, now) + time_for(bytes, options_.link);
    return std::max(alone, line.link_free_at + latency);
  });
}

Status EmulatedStorage::travel(Clock::Time begin, double latency_factor, std::uint64_t bytes,
                               const Limits& limits) {
  while (true) {
    const auto [outage, changed] = line_.read(
        [](const Line& line) { return std::pair(line.outage, line.changed.get_token()); });
    if (outage == Outage::failing) return broken("the storage is out of reach");
    std::stop_source woken;
    const StopLink by_caller(limits.stop, woken);
    const StopLink by_change(changed, woken);
    const Clock::Time until =
        outage == Outage::hanging ? Clock::Time::max() : arrival(latency_factor, bytes);
    Status waited = wait_until(clock_, begin, until, {limits.timeout, woken.get_token()});
    if (waited.ok() || waited.error().code == Errc::timeout) return waited;
    if (limits.stop.stop_requested()) return waited;
  }
}

// Before the object of this name changes: what lists go on to show.
Status EmulatedStorage::note_change(const std::string& name, const Limits& limits) {
  if (stale_.exact()) return Unit{};
  const Result<std::vector<Entry>> before = behind_->list(name, "", 1, limits);
  if (!before.ok()) return before.error();
  const bool there = !before.value().empty() && before.value()[0].name == name;
  stale_.changed(name, there ? before.value().data() : nullptr);
  return Unit{};
}

Result<bool> EmulatedStorage::place(const std::string& name, Parts parts, const Limits& limits,
                                    bool only_new) {
  if (Status noted = note_change(name, limits); !noted.ok()) return noted.error();
  if (only_new) return behind_->create(name, parts, limits);
  const Status done = behind_->put(name, parts, limits);
  if (!done.ok()) return done.error();
  return true;
}

Result<bool> EmulatedStorage::write(const std::string& name, Parts parts, const Limits& limits,
                                    bool only_new) {
  if (Status named = check_name(name); !named.ok()) return named.error();
  const std::uint64_t bytes = total_bytes(parts);
  const Throw thrown = dice_.write(name);
  if (Status there = travel(clock_.now(), thrown.latency_factor, bytes, limits); !there.ok())
    return there.error();
  switch (thrown.fate) {
    case Fate::passes:
      break;
    case Fate::fails:
      return broken("the write did not arrive");
    case Fate::fails_behind:
      (void)place(name, parts, limits, only_new);
      return broken("the write was not answered");
    case Fate::is_torn: {
      const auto left = static_cast<std::uint64_t>(static_cast<double>(bytes) * thrown.share);
      (void)place(name, beginning(parts, left), limits, only_new);
      return broken("the write was torn");
    }
    case Fate::is_lost:
      return true;
  }
  Result<bool> done = place(name, parts, limits, only_new);
  if (done.ok()) meter_.add(&Counts::bytes_put, bytes);
  return done;
}

Status EmulatedStorage::put(const std::string& name, Parts parts, const Limits& limits) {
  const Result<bool> done =
      meter_.call(&Counts::puts, [&] { return write(name, parts, limits, false); });
  return done.ok() ? Status(Unit{}) : Status(done.error());
}

Result<bool> EmulatedStorage::create(const std::string& name, Parts parts, const Limits& limits) {
  return meter_.call(&Counts::puts, [&] { return write(name, parts, limits, true); });
}

Result<std::vector<std::byte>> EmulatedStorage::get(const std::string& name, std::uint64_t offset,
                                                    std::uint64_t bytes, const Limits& limits) {
  return meter_.call(&Counts::gets, [&]() -> Result<std::vector<std::byte>> {
    if (Status named = check_name(name); !named.ok()) return named.error();
    const Clock::Time begin = clock_.now();
    const Throw thrown = dice_.read("get");
    Status there = travel(begin, thrown.latency_factor, 0, limits);
    if (!there.ok()) return there.error();
    if (thrown.fate != Fate::passes) return broken("the answer did not arrive");
    Result<std::vector<std::byte>> content = behind_->get(name, offset, bytes, limits);
    if (!content.ok()) return content;
    const std::uint64_t size = content.value().size();
    there = travel(begin, 0, size, limits);
    if (!there.ok()) return there.error();
    meter_.add(&Counts::bytes_got, size);
    return content;
  });
}

Result<std::vector<Entry>> EmulatedStorage::list(const std::string& prefix,
                                                 const std::string& after, std::size_t count,
                                                 const Limits& limits) {
  return meter_.call(&Counts::lists, [&]() -> Result<std::vector<Entry>> {
    if (Status named = check_prefix(prefix); !named.ok()) return named.error();
    const Throw thrown = dice_.read("list");
    if (Status there = travel(clock_.now(), thrown.latency_factor, 0, limits); !there.ok())
      return there.error();
    if (thrown.fate != Fate::passes) return broken("the answer did not arrive");
    if (stale_.exact()) return behind_->list(prefix, after, count, limits);
    const std::size_t more = count + stale_.differences();
    Result<std::vector<Entry>> page = behind_->list(prefix, after, more, limits);
    if (!page.ok()) return page;
    const bool whole = page.value().size() < more;
    stale_.turn_back(page.value(), prefix, after, whole);
    if (page.value().size() > count) page.value().resize(count);
    return page;
  });
}

Status EmulatedStorage::remove(std::span<const std::string> names, const Limits& limits) {
  return meter_.call(&Counts::removes, [&]() -> Status {
    if (Status named = check_names(names); !named.ok()) return named;
    const Throw thrown = dice_.read("remove");
    if (Status there = travel(clock_.now(), thrown.latency_factor, 0, limits); !there.ok())
      return there;
    if (thrown.fate == Fate::fails) return broken("the removal did not arrive");
    for (const std::string& name : names) {
      if (Status noted = note_change(name, limits); !noted.ok()) return noted;
    }
    Status done = behind_->remove(names, limits);
    if (thrown.fate == Fate::fails_behind) return broken("the removal was not answered");
    return done;
  });
}

}  // namespace wherry::storage
