#include "storage/curl_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "storage/waiting.h"
#include "support/ascii.h"
#include "support/stop_link.h"
#include "support/units.h"

namespace wherry::storage {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint64_t kReserveMax = 256 << 20;
constexpr std::size_t kIdleMax = 64;
constexpr long kBufferBytes = 256 << 10;

void must(bool done) {
  if (!done) std::abort();  // no memory
}

// One request under way, as curl's callbacks see it.
struct Exchange {
  Parts body;
  std::uint64_t sent = 0;
  std::uint64_t answer_max = 0;
  bool too_long = false;
  HttpAnswer answer;
  steady_clock::time_point moved = steady_clock::now();
};

// Room for the body as the server announces it, within what may come.
void reserve(Exchange& exchange, std::string_view length) {
  std::uint64_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  exchange.answer.body.reserve(std::min(bytes, std::min(exchange.answer_max, kReserveMax)));
}

// The bytes of the body from an offset on, as many as fit.
std::size_t copy_from(Parts parts, std::uint64_t offset, char* to, std::size_t room) {
  std::size_t done = 0;
  for (const Bytes part : parts) {
    if (offset >= part.size()) {
      offset -= part.size();
      continue;
    }
    const std::size_t count = std::min<std::size_t>(part.size() - offset, room - done);
    std::memcpy(to + done, part.data() + offset, count);
    done += count;
    offset = 0;
    if (done == room) break;
  }
  return done;
}

std::size_t on_read(char* to, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::size_t done = copy_from(exchange.body, exchange.sent, to, size * count);
  exchange.sent += done;
  exchange.moved = steady_clock::now();
  return done;
}

int on_seek(void* user, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Exchange*>(user)->sent = static_cast<std::uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

std::size_t on_write(char* from, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  std::vector<std::byte>& body = exchange.answer.body;
  const Bytes bytes = as_bytes({from, size * count});
  exchange.too_long = bytes.size() > exchange.answer_max - body.size();
  if (exchange.too_long) return 0;
  body.insert(body.end(), bytes.begin(), bytes.end());
  exchange.moved = steady_clock::now();
  return bytes.size();
}

std::size_t on_header(char* from, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view line(from, size * count);
  exchange.moved = steady_clock::now();
  if (line.starts_with("HTTP/")) exchange.answer.headers.clear();  // behind a 100 Continue
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return line.size();
  const std::string name = ascii::lower(line.substr(0, colon));
  const std::string_view value = ascii::trim(line.substr(colon + 1));
  if (name == "content-length") reserve(exchange, value);
  exchange.answer.headers[name] = std::string(value);
  return line.size();
}

Error error_of(CURLcode code, const char* text, const Limits& limits) {
  const std::string what = *text != '\0' ? text : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {Errc::timeout, "not done after " + format_duration(limits.timeout) + ": " + what};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
      return {Errc::refused, "TLS: " + what};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {Errc::usage, what};
    default:
      return {Errc::network, what};
  }
}

struct HeaderList {
  ~HeaderList() { curl_slist_free_all(list); }
  void add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(list, line.c_str());
    must(longer != nullptr);
    list = longer;
  }
  curl_slist* list = nullptr;
};

}  // namespace

// One caller's handle with its own connections.
class CurlClient::Session {
 public:
  Session() : multi_(curl_multi_init()), easy_(curl_easy_init()) {
    must(multi_ != nullptr && easy_ != nullptr);
  }
  ~Session() {
    curl_easy_cleanup(easy_);
    curl_multi_cleanup(multi_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result<HttpAnswer> send(const HttpRequest& request, const Limits& limits,
                          const CurlOptions& options);

 private:
  template <typename T>
  void set(CURLoption option, T value) {
    must(curl_easy_setopt(easy_, option, value) == CURLE_OK);
  }
  void prepare(const HttpRequest& request, const Limits& limits, const CurlOptions& options,
               Exchange& exchange);
  // How it ended, or why it was given up.
  Result<CURLcode> run(const Limits& limits, const CurlOptions& options, const Exchange& exchange);

  CURLM* const multi_;
  CURL* const easy_;
  char text_[CURL_ERROR_SIZE] = {};
};

void CurlClient::Session::prepare(const HttpRequest& request, const Limits& limits,
                                  const CurlOptions& options, Exchange& exchange) {
  curl_easy_reset(easy_);
  text_[0] = '\0';
  set(CURLOPT_ERRORBUFFER, text_);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(limits.timeout.count(), 1)));
  if (!options.tls_ca.empty()) {
    set(CURLOPT_CAINFO, options.tls_ca.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  // Only speed; curl refuses a change where it could not set up the transfer before.
  (void)curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, kBufferBytes);
  (void)curl_easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &exchange);
  set(CURLOPT_WRITEFUNCTION, on_write);
  set(CURLOPT_WRITEDATA, &exchange);
  if (request.method == "PUT" || request.method == "POST") {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(total_bytes(request.body)));
    set(CURLOPT_READFUNCTION, on_read);
    set(CURLOPT_READDATA, &exchange);
    set(CURLOPT_SEEKFUNCTION, on_seek);
    set(CURLOPT_SEEKDATA, &exchange);
  }
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

Result<CURLcode> CurlClient::Session::run(const Limits& limits, const CurlOptions& options,
                                          const Exchange& exchange) {
  const milliseconds look_every =
      std::clamp(options.stall_timeout / 4, milliseconds(1), milliseconds(1'000));
  while (true) {
    int running = 0;
    must(curl_multi_perform(multi_, &running) == CURLM_OK);
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    if (limits.stop.stop_requested()) return interrupted();
    if (steady_clock::now() - exchange.moved > options.stall_timeout)
      return Error{Errc::timeout, "nothing moved for " + format_duration(options.stall_timeout)};
    const int wait_ms = static_cast<int>(look_every.count());
    if (curl_multi_poll(multi_, nullptr, 0, wait_ms, nullptr) != CURLM_OK)
      return Error{Errc::network, "cannot wait for the connection"};
  }
}

Result<HttpAnswer> CurlClient::Session::send(const HttpRequest& request, const Limits& limits,
                                             const CurlOptions& options) {
  Exchange exchange;
  exchange.body = request.body;
  exchange.answer_max = request.answer_max;
  HeaderList headers;
  for (const auto& [name, value] : request.headers)
    headers.add(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  headers.add("Expect:");  // a server's 100 Continue is not waited for
  prepare(request, limits, options, exchange);
  set(CURLOPT_HTTPHEADER, headers.list);
  const auto wake = [this] { curl_multi_wakeup(multi_); };
  const std::stop_callback<decltype(wake)> on_stop(limits.stop, wake);
  must(curl_multi_add_handle(multi_, easy_) == CURLM_OK);
  const Result<CURLcode> ended = run(limits, options, exchange);
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  must(curl_multi_remove_handle(multi_, easy_) == CURLM_OK);
  if (!ended.ok()) return ended.error();
  if (exchange.too_long)
    return Error{Errc::malformed,
                 fmt::format("the answer is longer than {} bytes", exchange.answer_max)};
  if (ended.value() != CURLE_OK) return error_of(ended.value(), text_, limits);
  exchange.answer.status = static_cast<unsigned>(status);
  return std::move(exchange.answer);
}

CurlClient::CurlClient(CurlOptions options) : options_(std::move(options)) {
  // Counts its calls; what it sets up stays for the life of the process.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  must(ready == CURLE_OK);
}

CurlClient::~CurlClient() = default;

std::unique_ptr<CurlClient::Session> CurlClient::take() {
  std::unique_ptr<Session> session = idle_.with([](auto& idle) {
    std::unique_ptr<Session> last;
    if (!idle.empty()) {
      last = std::move(idle.back());
      idle.pop_back();
    }
    return last;
  });
  return session != nullptr ? std::move(session) : std::make_unique<Session>();
}

void CurlClient::give_back(std::unique_ptr<Session> session) {
  idle_.with([&](auto& idle) {
    if (idle.size() < kIdleMax) idle.push_back(std::move(session));
  });
}

Result<HttpAnswer> CurlClient::send(const HttpRequest& request, const Limits& limits) {
  if (limits.stop.stop_requested()) return interrupted();
  std::unique_ptr<Session> session = take();
  Result<HttpAnswer> answer = session->send(request, limits, options_);
  give_back(std::move(session));
  return answer;
}

}  // namespace wherry::storage
