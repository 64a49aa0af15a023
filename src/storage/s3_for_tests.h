// A small S3 without a network: keeps objects, remembers what it was asked, and answers as it is
// told. Any thread.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/http.h"
#include "storage/s3_storage.h"
#include "storage/xml.h"
#include "support/guarded.h"

namespace wherry::storage {

struct SeenRequest {
  std::string line;  // "GET /bucket/a?x=1", not decoded
  std::map<std::string, std::string> headers;
  std::string body;
};

class S3ForTests : public HttpClient {
 public:
  using Answer = std::function<std::optional<Result<HttpAnswer>>(const SeenRequest&)>;

  enum class Condition { honoured, ignored, unsupported };

  Result<HttpAnswer> send(const HttpRequest& request, const Limits&) override {
    SeenRequest seen;
    seen.line = request.method + " " + request.url.substr(request.url.find('/', 8));
    seen.headers.insert(request.headers.begin(), request.headers.end());
    for (const Bytes part : request.body) seen.body += as_text(part);
    return state_.with([&](State& state) {
      state.seen.push_back(seen);
      std::optional<Result<HttpAnswer>> told;
      if (state.answer) told = state.answer(seen);
      return told ? *told : Result<HttpAnswer>(state.serve(seen));
    });
  }

  // Before anything else is done with a request; nothing: it is served.
  void answer(Answer answer) {
    state_.with([&](State& state) { state.answer = std::move(answer); });
  }
  void set_condition(Condition condition) {
    state_.with([&](State& state) { state.condition = condition; });
  }
  void forbid_batches() {
    state_.with([](State& state) { state.batches = false; });
  }
  std::vector<SeenRequest> seen() const {
    return state_.read([](const State& state) { return state.seen; });
  }
  std::map<std::string, std::string> objects() const {
    return state_.read([](const State& state) { return state.objects; });
  }
  std::size_t open_uploads() const {
    return state_.read([](const State& state) { return state.uploads.size(); });
  }

  static HttpAnswer say(unsigned status, const std::string& body = "") {
    HttpAnswer answer;
    answer.status = status;
    const Bytes bytes = as_bytes(body);
    answer.body.assign(bytes.begin(), bytes.end());
    return answer;
  }
  static HttpAnswer fault(unsigned status, const std::string& code,
                          const std::string& message = "told so") {
    return say(status,
               fmt::format("<Error><Code>{}</Code><Message>{}</Message></Error>", code, message));
  }

 private:
  struct State {
    std::vector<SeenRequest> seen;
    Answer answer;
    std::map<std::string, std::string> objects;  // by whole key
    std::map<std::string, std::map<int, std::string>> uploads;
    Condition condition = Condition::honoured;
    bool batches = true;

    HttpAnswer serve(const SeenRequest& request);
    HttpAnswer put(const SeenRequest& request, const std::string& key);
    HttpAnswer get(const SeenRequest& request, const std::string& key) const;
    HttpAnswer list(std::map<std::string, std::string>& query) const;
    HttpAnswer remove_many(const std::string& body);
    HttpAnswer part(const SeenRequest& request, const std::string& key,
                    std::map<std::string, std::string>& query);
  };

  static std::map<std::string, std::string> query_of(const std::string& line);

  Guarded<State> state_;
};

}  // namespace wherry::storage
