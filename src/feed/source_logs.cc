#include "feed/source_logs.h"

#include <algorithm>
#include <utility>

namespace wherry::feed {

namespace {

// Nobody is told of what the log kept: it goes with the next segment.
void forget_in(store::Log& log, const std::string& name) {
  Result<store::Consumer> consumer = log.consumer(name, log.status().last_cseq);
  if (consumer.ok()) consumer.value().forget();
}

}  // namespace

Result<SourceLogs::Use> SourceLogs::take(const Endpoint& endpoint, const SourceLogOptions& wanted,
                                         const std::optional<store::Place>& begin) {
  // Asked each time: an address says nothing about which server answers there today.
  Result<std::unique_ptr<source::Runtime>> runtime = source::Runtime::open(endpoint, {});
  if (!runtime.ok()) return runtime.error();
  const std::string identity =
      mysql::lasting_identity(runtime.value()->lease().generation().facts());
  return open_.with([&](std::map<std::string, Open>& open) -> Result<Use> {
    const auto found = open.find(identity);
    if (found != open.end()) {
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
