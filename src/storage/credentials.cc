#include "storage/credentials.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/ascii.h"

namespace wherry::storage {
namespace {

Error refused(std::string what) { return {Errc::refused, std::move(what)}; }

}  // namespace

std::string process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

Credentials::Credentials(Credentials&& other) noexcept : keys_(other.keys_), file_(other.file_) {}

Result<AwsKeys> parse_credentials(std::string_view text, const std::string& profile) {
  AwsKeys keys;
  bool inside = false;
  bool found = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = ascii::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[') && line.ends_with(']')) {
      inside = ascii::trim(line.substr(1, line.size() - 2)) == profile;
      found = found || inside;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos || line.starts_with('#')) continue;
    const std::string name = ascii::lower(ascii::trim(line.substr(0, equals)));
    const std::string value(ascii::trim(line.substr(equals + 1)));
    if (name == "aws_access_key_id") keys.access_key = value;
    if (name == "aws_secret_access_key") keys.secret_key = value;
    if (name == "aws_session_token") keys.session_token = value;
  }
  if (!found) return refused("it has no profile [" + ascii::shown(profile) + "]");
  if (keys.access_key.empty() || keys.secret_key.empty())
    return refused("its profile [" + ascii::shown(profile) +
                   "] lacks aws_access_key_id or aws_secret_access_key");
  return keys;
}

Result<AwsKeys> Credentials::current() {
  if (!file_) return keys_;
  const std::string what = "the credentials file " + file_->path;
  struct stat found {};
  if (::stat(file_->path.c_str(), &found) != 0) return refused(what + " cannot be read");
  return read_.with([&](Read& read) -> Result<AwsKeys> {
    const timespec& at = found.st_mtim;
    if (read.keys && read.changed == at.tv_sec && read.changed_ns == at.tv_nsec) return *read.keys;
    std::ifstream file(file_->path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) return refused(what + " cannot be read");
    Result<AwsKeys> keys = parse_credentials(text.str(), file_->profile);
    if (!keys.ok()) return keys.error().within(what);
    read = {keys.value(), at.tv_sec, at.tv_nsec};
    return keys;
  });
}

Result<Credentials> find_credentials(const Uri& uri, const CredentialsFile& given,
                                     const Environment& environment) {
  if (!uri.user.empty() || !uri.password.empty()) {
    if (uri.user.empty() || uri.password.empty())
      return Error{Errc::usage, "an s3:// URI names both keys, KEY:SECRET@bucket, or none"};
    return Credentials(AwsKeys{uri.user, uri.password, ""});
  }
  const bool file_named = !given.path.empty() || !given.profile.empty();
  AwsKeys keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
               environment("AWS_SESSION_TOKEN")};
  if (keys.access_key.empty() != keys.secret_key.empty())
    return Error{Errc::usage, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set together"};
  if (!keys.access_key.empty() && !file_named) return Credentials(std::move(keys));
  CredentialsFile file = given;
  if (file.profile.empty()) file.profile = environment("AWS_PROFILE");
  if (file.profile.empty()) file.profile = "default";
  if (file.path.empty()) file.path = environment("AWS_SHARED_CREDENTIALS_FILE");
  if (file.path.empty()) file.path = environment("HOME") + "/.aws/credentials";
  return Credentials(std::move(file));
}

}  // namespace wherry::storage
