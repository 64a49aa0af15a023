// The keys for S3, from the URI, the environment, or a file as AWS's tools write it. A file is read
// again when it changes, so that short-lived keys are renewed under a running program. Any thread.
#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <string>

#include "model/uri.h"
#include "storage/sigv4.h"
#include "support/guarded.h"
#include "support/result.h"

namespace wherry::storage {

// The value of a variable, or empty.
using Environment = std::function<std::string(const std::string& name)>;
std::string process_environment(const std::string& name);

struct CredentialsFile {
  std::string path;
  std::string profile;
};

class Credentials {
 public:
  // One of the two. Keys with no access key sign nothing: requests go out anonymous.
  explicit Credentials(AwsKeys keys) : keys_(std::move(keys)) {}
  explicit Credentials(CredentialsFile file) : file_(std::move(file)) {}
  Credentials(Credentials&& other) noexcept;

  // Errc::refused: the file or what is needed in it is missing.
  Result<AwsKeys> current();

 private:
  struct Read {
    std::optional<AwsKeys> keys;
    std::time_t changed = 0;
    long changed_ns = 0;
  };

  const AwsKeys keys_;
  const std::optional<CredentialsFile> file_;
  Guarded<Read> read_;
};

// user:password of the URI; else the file and profile that the URI's options name; else
// AWS_ACCESS_KEY_ID and its like; else the file that AWS's tools use. Errc::usage: half of a pair.
Result<Credentials> find_credentials(const Uri& uri, const CredentialsFile& given,
                                     const Environment& environment);

// The keys of one profile of such a file.
Result<AwsKeys> parse_credentials(std::string_view text, const std::string& profile);

}  // namespace wherry::storage
