// The sources of a server's feeds: feeds of one source share its log and its stream, whichever of
// its addresses they name. A source is opened by its first user and closed by its last. Any thread;
// it must outlive what it handed out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feed/source_log.h"
#include "support/guarded.h"

namespace wherry::feed {

class SourceLogs {
 public:
  // folder: one folder for each source is made in it. known: whether there is a feed of this name;
  // for others a log that is opened keeps nothing any more. Called from any thread.
  SourceLogs(std::string folder, std::function<bool(const std::string&)> known)
      : folder_(std::move(folder)), known_(std::move(known)) {}

  // A share of one source; given back when destroyed.
  class Use {
   public:
    Use(SourceLogs& owner, SourceLog& log, std::string identity)
        : owner_(&owner), log_(&log), identity_(std::move(identity)) {}
    Use(Use&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          log_(other.log_),
          identity_(std::move(other.identity_)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (owner_ != nullptr) owner_->give_back(identity_);
    }
    SourceLog& operator*() const { return *log_; }
    SourceLog* operator->() const { return log_; }

   private:
    SourceLogs* owner_;
    SourceLog* log_;
    std::string identity_;
  };

  // options: of the log, but for its folder, where this is its first user. begin: where the log
  // begins if the source has none yet. Waits while another user opens or closes a source.
  // Errc::refused: another server that is read now has the same identity.
  Result<Use> take(const Endpoint& endpoint, const SourceLogOptions& options,
                   const std::optional<store::Place>& begin);
  // The feed of this name is no more: no open log keeps anything for it.
  void forget(const std::string& name);

  struct Look {  // at one open source
    std::string identity;
    store::LogStatus log;
    source::StreamState stream;
    unsigned users = 0;
  };
  std::vector<Look> look() const;

 private:
  struct Open {
    std::unique_ptr<SourceLog> log;
    std::string server;  // which one it is, as exactly as it can be told
    unsigned users = 0;
  };
  void give_back(const std::string& identity);

  const std::string folder_;
  const std::function<bool(const std::string&)> known_;
  Guarded<std::map<std::string, Open>> open_;  // by the source's lasting identity
};

}  // namespace wherry::feed
