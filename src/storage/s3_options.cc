#include "storage/s3_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "storage/object_name.h"
#include "storage/option_reader.h"
#include "support/ascii.h"

namespace wherry::storage {
namespace {

// S3's own bounds of a part and of one PUT.
constexpr std::uint64_t kPartMin = 5 << 20;
constexpr std::uint64_t kPutMax = std::uint64_t{5} << 30;

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    std::string value = environment(name);
    if (!value.empty()) return value;
  }
  return {};
}

bool is_bucket(std::string_view name) {
  if (name.size() < 3 || name.size() > 63) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return ascii::letter(c) || ascii::digit(c) || c == '-' || c == '.' || c == '_';
  });
}

Status read_endpoint(const std::string& text, S3Options& options) {
  const Result<Uri> endpoint = parse_uri(text);
  const bool http =
      endpoint.ok() && (endpoint.value().scheme == "http" || endpoint.value().scheme == "https");
  if (!http) return usage("the endpoint of an s3:// URI is http://host:port or https://host:port");
  const Uri& uri = endpoint.value();
  const bool more = !uri.user.empty() || !uri.options.empty() ||
                    (!uri.path.empty() && uri.path != "/") || uri.host.empty();
  if (more) return usage("the endpoint of an s3:// URI names a host and a port, nothing else");
  options.https = uri.scheme == "https";
  const bool bare_v6 = uri.host.find(':') != std::string::npos;
  options.host = bare_v6 ? "[" + uri.host + "]" : uri.host;
  const std::uint16_t usual = options.https ? 443 : 80;
  if (uri.port != 0 && uri.port != usual) options.host += ":" + std::to_string(uri.port);
  return Unit{};
}

Status read_prefix(std::string_view path, S3Options& options) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return Unit{};
  if (Status named = check_name(path); !named.ok()) return named.error().within("prefix");
  if (path.size() > 300) return usage("the prefix of an s3:// URI is longer than 300 bytes");
  options.prefix = std::string(path) + "/";
  return Unit{};
}

Status read_sizes(OptionReader& reader, S3Options& options) {
  options.multipart_above = reader.size("multipart-above", options.multipart_above);
  options.part_bytes = reader.size("part-size", options.part_bytes);
  const std::uint64_t parts = reader.number("parts-at-once", options.parts_at_once);
  if (parts < 1 || parts > 64) return usage("parts-at-once of an s3:// URI is from 1 to 64");
  options.parts_at_once = static_cast<unsigned>(parts);
  if (options.part_bytes < kPartMin || options.part_bytes > kPutMax)
    return usage("part-size of an s3:// URI is from 5MiB to 5GiB");
  if (options.multipart_above < options.part_bytes || options.multipart_above > kPutMax)
    return usage("multipart-above of an s3:// URI is from part-size to 5GiB");
  return Unit{};
}

}  // namespace

std::string S3Options::describe() const {
  return fmt::format("s3://{}/{} at {}://{}", bucket, prefix, https ? "https" : "http", host);
}

Result<S3Setup> read_s3_uri(const Uri& uri, const Environment& environment) {
  S3Options options;
  OptionReader reader(uri);
  const std::string endpoint =
      reader.text("endpoint", first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}));
  options.region =
      reader.text("region", first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"}));
  const std::optional<bool> path_style = reader.flag("path-style");
  options.tls_ca = reader.text("tls-ca");
  CredentialsFile file;
  file.path = reader.text("credentials");
  file.profile = reader.text("profile");
  const Status sizes = read_sizes(reader, options);
  if (Status read = reader.finish(); !read.ok()) return read.error();
  if (!sizes.ok()) return sizes.error();
  options.bucket = uri.host;
  if (!is_bucket(options.bucket) || uri.port != 0)
    return usage("an s3:// URI names a bucket: s3://bucket/prefix");
  if (Status prefix = read_prefix(uri.path, options); !prefix.ok()) return prefix.error();
  if (options.region.empty()) options.region = "us-east-1";
  if (endpoint.empty()) {
    options.host = "s3." + options.region + ".amazonaws.com";
    if (options.region.starts_with("cn-")) options.host += ".cn";
  } else if (Status read = read_endpoint(endpoint, options); !read.ok()) {
    return read.error();
  }
  // A certificate for *.host has no place for the dots of a bucket, and few other servers than
  // AWS's have a name for each bucket.
  const bool dots = options.https && options.bucket.find('.') != std::string::npos;
  options.path_style = path_style.value_or(!endpoint.empty() || dots);
  Result<Credentials> credentials = find_credentials(uri, file, environment);
  if (!credentials.ok()) return credentials.error();
  return S3Setup{std::move(options), std::move(credentials).value()};
}

}  // namespace wherry::storage
