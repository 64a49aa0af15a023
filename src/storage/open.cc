#include "storage/open.h"

#include <array>
#include <utility>

#include "model/uri.h"
#include "storage/blackhole_storage.h"
#include "storage/curl_client.h"
#include "storage/emulated_storage.h"
#include "storage/file_storage.h"
#include "storage/memory_storage.h"
#include "storage/option_reader.h"
#include "storage/s3_storage.h"
#include "support/nearest.h"

namespace wherry::storage {
namespace {

using Opened = Result<std::unique_ptr<Storage>>;

constexpr std::array<std::string_view, 4> kSchemes{"file", "s3", "emulated", "blackhole"};

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

bool names_host(const Uri& uri) {
  return !uri.user.empty() || !uri.password.empty() || !uri.host.empty() || uri.port != 0;
}

Opened open_file(const Uri& uri) {
  if (names_host(uri)) return usage("a file:// URI names no host: file:///path has three slashes");
  if (uri.path.empty()) return usage("a file:// URI names a folder: file:///path");
  if (Status options = OptionReader(uri).finish(); !options.ok()) return options.error();
  return std::unique_ptr<Storage>(std::make_unique<FileStorage>(uri.path));
}

Opened open_blackhole(const Uri& uri, Clock& clock) {
  if (names_host(uri) || (!uri.path.empty() && uri.path != "/"))
    return usage("blackhole:// is followed by options only");
  OptionReader options(uri);
  const std::chrono::milliseconds latency = options.duration("latency");
  if (Status read = options.finish(); !read.ok()) return read.error();
  return std::unique_ptr<Storage>(std::make_unique<BlackholeStorage>(latency, clock));
}

// The sigma from which the middle half of all latencies would span a factor of a thousand.
constexpr double kSigmaMax = 5;

Opened open_emulated(const Uri& uri, Clock& clock) {
  if (names_host(uri))
    return usage("emulated:// is followed by options, or by the path of a folder that it fronts");
  OptionReader options(uri);
  FaultOptions faults;
  faults.latency = options.duration("latency");
  faults.sigma = options.decimal("sigma", kSigmaMax);
  faults.bandwidth = options.size("bandwidth");
  faults.link = options.size("link");
  faults.errors = options.decimal("errors", 1);
  faults.torn = options.decimal("torn", 1);
  faults.lost = options.decimal("lost", 1);
  faults.stale = options.duration("stale");
  faults.seed = options.number("seed", faults.seed);
  if (Status read = options.finish(); !read.ok()) return read.error();
  std::shared_ptr<Storage> behind;
  if (uri.path.empty() || uri.path == "/") {
    behind = std::make_shared<MemoryStorage>();
  } else {
    behind = std::make_shared<FileStorage>(uri.path);
  }
  return std::unique_ptr<Storage>(
      std::make_unique<EmulatedStorage>(std::move(behind), faults, clock));
}

Opened open_s3(const Uri& uri) {
  Result<S3Setup> setup = read_s3_uri(uri, process_environment);
  if (!setup.ok()) return setup.error();
  CurlOptions curl;
  curl.tls_ca = setup.value().options.tls_ca;
  return std::unique_ptr<Storage>(std::make_unique<S3Storage>(
      std::move(setup).value(), std::make_unique<CurlClient>(std::move(curl)),
      std::chrono::system_clock::now));
}

}  // namespace

Opened open_storage(std::string_view text, Clock& clock) {
  const Result<Uri> parsed = parse_uri(text);
  if (!parsed.ok()) return parsed.error().within("storage");
  const Uri& uri = parsed.value();
  Opened opened =
      usage("no storage is reached by " + uri.scheme + "://" + did_you_mean(uri.scheme, kSchemes) +
            "; it is file, s3, emulated or blackhole");
  if (uri.scheme == "file") opened = open_file(uri);
  if (uri.scheme == "s3") opened = open_s3(uri);
  if (uri.scheme == "emulated") opened = open_emulated(uri, clock);
  if (uri.scheme == "blackhole") opened = open_blackhole(uri, clock);
  if (!opened.ok()) return opened.error().within("storage");
  return opened;
}

}  // namespace wherry::storage
