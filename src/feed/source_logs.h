// The sources of a server's feeds: feeds of one source share its log and its stream, whichever of
// its addresses they name. A source is opened by its first user and closed by its last. Any thread;
// it must outlive what it handed out.
#pragma once

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
  // folder: one folder for each source is made in it. options: of every log but its folder.
  SourceLogs(std::string folder, const SourceLogOptions& options)
      : folder_(std::move(folder)), options_(options) {}

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

  // begin: where the log begins if the source has none yet. Waits while another user opens or
  // closes a source.
  Result<Use> take(const Endpoint& endpoint, const std::optional<store::Place>& begin);

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
    unsigned users = 0;
  };
  void give_back(const std::string& identity);

  const std::string folder_;
  const SourceLogOptions options_;
  Guarded<std::map<std::string, Open>> open_;  // by the source's lasting identity
};

}  // namespace wherry::feed
