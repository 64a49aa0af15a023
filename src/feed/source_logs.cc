#include "feed/source_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace wherry::feed {

namespace {

// Nobody is told of what the log kept: it goes with the next segment.
void forget_in(store::Log& log, const std::string& name) {
  Result<store::Consumer> consumer = log.consumer(name, log.status().last_cseq);
  if (consumer.ok()) consumer.value().forget();
}

// MariaDB has no name of its own but its server_id, and every server has 1 until it is given one.
Error same_identity(const Endpoint& endpoint, const mysql::ServerFacts& facts) {
  return {Errc::refused,
          fmt::format("{} has server_id {}, as another server that is read now, or the same one at "
                      "another address; give each server its own server_id, or stop the feeds of "
                      "the other address first",
                      endpoint.to_string(), facts.server_id),
          0};
}

}  // namespace

Result<SourceLogs::Use> SourceLogs::take(const Endpoint& endpoint, const SourceLogOptions& wanted,
                                         const std::optional<store::Place>& begin) {
  // Asked each time: an address says nothing about which server answers there today.
  Result<std::unique_ptr<source::Runtime>> runtime = source::Runtime::open(endpoint, {});
  if (!runtime.ok()) return runtime.error();
  const mysql::ServerFacts facts = runtime.value()->lease().generation().facts();
  const std::string identity = mysql::lasting_identity(facts);
  return open_.with([&](std::map<std::string, Open>& open) -> Result<Use> {
    const auto found = open.find(identity);
    if (found != open.end()) {
      if (found->second.server != facts.server_uuid) return same_identity(endpoint, facts);
      ++found->second.users;
      return Use(*this, *found->second.log, identity);
    }
    SourceLogOptions options = wanted;
    options.log.folder = folder_ + "/" + identity;
    Result<std::unique_ptr<SourceLog>> log =
        SourceLog::open(options, std::move(runtime).value(), begin);
    if (!log.ok()) return log.error();
    for (const std::string& name : log.value()->log().consumers()) {
      if (!known_(name)) forget_in(log.value()->log(), name);
    }
    log.value()->start();
    Open& made = open[identity];
    made.log = std::move(log).value();
    made.server = facts.server_uuid;
    made.users = 1;
    return Use(*this, *made.log, identity);
  });
}

void SourceLogs::forget(const std::string& name) {
  open_.with([&](std::map<std::string, Open>& open) {
    for (auto& [identity, one] : open) {
      const std::vector<std::string> names = one.log->log().consumers();
      if (std::find(names.begin(), names.end(), name) != names.end())
        forget_in(one.log->log(), name);
    }
  });
}

std::vector<SourceLogs::Look> SourceLogs::look() const {
  return open_.read([](const std::map<std::string, Open>& open) {
    std::vector<Look> out;
    out.reserve(open.size());
    for (const auto& [identity, one] : open)
      out.push_back({identity, one.log->log().status(), one.log->stream(), one.users});
    return out;
  });
}

void SourceLogs::give_back(const std::string& identity) {
  open_.with([&](std::map<std::string, Open>& open) {
    const auto found = open.find(identity);
    if (found != open.end() && --found->second.users == 0) open.erase(found);
  });
}

}  // namespace wherry::feed
