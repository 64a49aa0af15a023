#include "control/api_server.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "support/guarded.h"

namespace wherry::control {
namespace {

using nlohmann::json;

// A server on a free port of loopback, and a job that only remembers what it was asked.
class Api : public ::testing::Test {
 protected:
  ApiCalls job() {
    ApiCalls calls;
    calls.status = [this] { return status; };
    calls.request = [this](CopyAction action) -> Status {
      if (refuse) return Error{Errc::conflict, "not while copying"};
      asked.with([&](std::vector<CopyAction>& list) { list.push_back(action); });
      return Unit{};
    };
    calls.swap_source = [this](const Endpoint& endpoint) -> Status {
      swapped.with([&](std::string& to) { to = endpoint.to_string() + " " + endpoint.password; });
      return Unit{};
    };
    calls.change_settings = [this](const LiveSettings& settings) -> Status {
      changed.with([&](LiveSettings& to) { to = settings; });
      return Unit{};
    };
    return calls;
  }
  void SetUp() override {
    Result<std::unique_ptr<ApiServer>> started =
        ApiServer::start(ListenAddress{"127.0.0.1", 0}, job());
    ASSERT_TRUE(started.ok());
    server = std::move(started).value();
    client = std::make_unique<httplib::Client>(server->place());
  }

  static json parsed(const httplib::Result& result) {
    return result ? json::parse(result->body, nullptr, false) : json();
  }
  static int code(const httplib::Result& result) { return result ? result->status : 0; }

  std::shared_ptr<const CopyStatus> status = [] {
    CopyStatus value;
    value.state = CopyState::catching_up;
    value.rows_copied = 42;
    return std::make_shared<const CopyStatus>(value);
  }();
  std::atomic<bool> refuse{false};
  Guarded<std::vector<CopyAction>> asked;
  Guarded<std::string> swapped;
  Guarded<LiveSettings> changed;
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<httplib::Client> client;
};

TEST_F(Api, PrintsThePortThatItTook) {
  EXPECT_TRUE(server->place().starts_with("http://127.0.0.1:"));
  EXPECT_NE(server->place(), "http://127.0.0.1:0");
}

TEST_F(Api, AnswersReads) {
  EXPECT_EQ(client->Get("/healthz")->body, "ok\n");
  EXPECT_EQ(parsed(client->Get("/api/v1/copy"))["state"], "catching-up");
  EXPECT_EQ(parsed(client->Get("/api/v1/status"))["copy"]["rows_copied"], 42);
  EXPECT_EQ(parsed(client->Get("/api/v1/openapi.json"))["openapi"], "3.0.3");
  EXPECT_NE(client->Get("/metrics")->body.find("wherry_copy_rows_total 42"), std::string::npos);
}

TEST_F(Api, EveryPathOfTheDescriptionAnswers) {
  const json description = parsed(client->Get("/api/v1/openapi.json"));
  for (const auto& [path, methods] : description["paths"].items()) {
    if (path == "/api/v1/events") continue;
    for (const auto& [method, unused] : methods.items()) {
      const int status_code = method == "get" ? code(client->Get(path))
                              : method == "post"
                                  ? code(client->Post(path, "{}", "application/json"))
                                  : code(client->Patch(path, "{}", "application/json"));
      EXPECT_NE(status_code, 404) << method << " " << path;
      EXPECT_NE(status_code, 0) << method << " " << path;
    }
  }
}

TEST_F(Api, TakesActionsWithAndWithoutABody) {
  EXPECT_EQ(code(client->Post("/api/v1/copy/pause")), 202);
  EXPECT_EQ(code(client->Post("/api/v1/copy/resume", "{}", "application/json")), 202);
  EXPECT_EQ(code(client->Post("/api/v1/copy/cutover")), 202);
  const httplib::Result stopped = client->Post("/api/v1/copy/stop");
  EXPECT_EQ(parsed(stopped)["accepted"], "stop");
  EXPECT_EQ(asked.read([](const auto& list) { return list; }),
            (std::vector<CopyAction>{CopyAction::pause, CopyAction::resume, CopyAction::cutover,
                                     CopyAction::stop}));
}

TEST_F(Api, AnActionAtTheWrongTimeIsAConflictThatTellsTheState) {
  refuse = true;
  const httplib::Result result = client->Post("/api/v1/copy/cutover");
  EXPECT_EQ(code(result), 409);
  EXPECT_EQ(parsed(result)["state"], "catching-up");
  EXPECT_EQ(parsed(result)["error"]["code"], "conflict");
  EXPECT_EQ(parsed(result)["error"]["message"], "not while copying");
  EXPECT_TRUE(parsed(result)["error"].contains("hint"));
}

TEST_F(Api, FailoverNamesAnEndpoint) {
  const char* path = "/api/v1/copy/failover";
  EXPECT_EQ(
      code(client->Post(path, "{\"endpoint\": \"mysql://u:p%40@h:3307/\"}", "application/json")),
      202);
  EXPECT_EQ(swapped.read([](const auto& to) { return to; }), "h:3307 p@");
  for (const char* wrong : {"", "{}", "[]", "{\"endpoint\": 1}", "{\"endpoint\": \"http://h/\"}"}) {
    const httplib::Result result = client->Post(path, wrong, "application/json");
    EXPECT_EQ(code(result), 400) << wrong;
    EXPECT_TRUE(parsed(result)["error"]["message"].is_string());
  }
}

TEST_F(Api, NoAnswerHoldsThePasswordOfAnEndpoint) {
  const httplib::Result result = client->Post(
      "/api/v1/copy/failover", "{\"endpoint\": \"mysql://u:secret-1@h:x/\"}", "application/json");
  EXPECT_EQ(code(result), 400);
  EXPECT_EQ(result->body.find("secret-1"), std::string::npos) << result->body;
}

TEST_F(Api, SettingsAreReadOrNamed) {
  const char* path = "/api/v1/copy/settings";
  EXPECT_EQ(
      code(client->Patch(path, "{\"chunk-rows\": 500, \"rate\": \"50MiB\", \"max_lag\": \"2s\"}",
                         "application/json")),
      202);
  const LiveSettings settings = changed.read([](const auto& value) { return value; });
  EXPECT_EQ(settings.chunk_rows, 500U);
  EXPECT_EQ(settings.rate, (Rate{Rate::Unit::bytes, 50ULL << 20}));
  EXPECT_EQ(settings.max_lag, std::chrono::seconds(2));
  EXPECT_FALSE(settings.lanes.has_value());
  const httplib::Result wrong = client->Patch(path, "{\"chunk-row\": 1}", "application/json");
  EXPECT_EQ(code(wrong), 400);
  EXPECT_NE(wrong->body.find("chunk-rows"), std::string::npos);
  for (const char* bad : {"{\"lanes\": 0}", "{\"lanes\": -1}", "{\"lanes\": \"4\"}",
                          "{\"rate\": 5}", "{\"max_lag\": \"2x\"}", "{"}) {
    EXPECT_EQ(code(client->Patch(path, bad, "application/json")), 400) << bad;
  }
}

TEST_F(Api, UnknownPathsAreErrorsInJson) {
  const httplib::Result result = client->Get("/api/v1/nothing");
  EXPECT_EQ(code(result), 404);
  EXPECT_EQ(parsed(result)["error"]["code"], "not-found");
}

TEST_F(Api, APageFromElsewhereIsRefused) {
  EXPECT_EQ(code(client->Get("/api/v1/copy", {{"Host", "evil.example"}})), 403);
  EXPECT_EQ(code(client->Post("/api/v1/copy/stop", {{"Origin", "http://evil.example"}}, "",
                              "text/plain")),
            403);
  EXPECT_TRUE(asked.read([](const auto& list) { return list.empty(); }));
}

TEST_F(Api, ABodyThatIsTooLongIsRefused) {
  const std::string body(100'000, 'x');
  EXPECT_EQ(code(client->Post("/api/v1/copy/failover", body, "application/json")), 413);
  EXPECT_EQ(code(client->Get("/healthz")), 200);
}

TEST_F(Api, EventsComeAtOnce) {
  std::string text;
  client->Get("/api/v1/events", [&](const char* bytes, std::size_t size) {
    text.append(bytes, size);
    return text.find("\n\n") == std::string::npos;
  });
  EXPECT_TRUE(text.starts_with("event: status\ndata: {"));
  EXPECT_NE(text.find("\"rows_copied\":42"), std::string::npos);
}

TEST_F(Api, EndsWhileAStreamIsOpen) {
  std::promise<void> first;
  std::thread reader([&, url = server->place()] {
    httplib::Client streaming(url);
    bool told = false;
    streaming.Get("/api/v1/events", [&](const char*, std::size_t) {
      if (!std::exchange(told, true)) first.set_value();
      return true;
    });
  });
  first.get_future().wait();
  server.reset();
  reader.join();
}

TEST_F(Api, APortThatIsTakenIsAnError) {
  const std::uint16_t port =
      static_cast<std::uint16_t>(std::stoi(server->place().substr(server->place().rfind(':') + 1)));
  const Result<std::unique_ptr<ApiServer>> second = ApiServer::start({"127.0.0.1", port}, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Errc::usage);
}

TEST(ListenAddresses, AreOfThisMachineOnly) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:0").value().port, 0);
  EXPECT_EQ(parse_listen_address("[::1]:8400").value().host, "::1");
  EXPECT_EQ(parse_listen_address("localhost:65535").value().port, 65535);
  for (const char* wrong : {"", "8400", "127.0.0.1", "0.0.0.0:1", "example.org:80",
                            "localhost:65536", "localhost:x", "localhost:", ":80"}) {
    EXPECT_FALSE(parse_listen_address(wrong).ok()) << wrong;
  }
}

// The whole answer to one request over a socket's path.
std::string ask(const std::string& path, const std::string& request) {
  const int link = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
  std::string answer;
  if (::connect(link, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::send(link, request.data(), request.size(), 0) > 0) {
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = ::recv(link, part.data(), part.size(), 0)) > 0;)
      answer.append(part.data(), static_cast<std::size_t>(size));
  }
  ::close(link);
  return answer;
}

TEST_F(Api, ServesASocketAndRemovesItAtTheEnd) {
  std::string folder = (std::filesystem::temp_directory_path() / "wherry-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Result<ControlSocket> socket = ControlSocket::open(folder);
  ASSERT_TRUE(socket.ok()) << socket.error().what;
  const std::string path = socket.value().path();
  {
    const Result<std::unique_ptr<ApiServer>> second =
        ApiServer::start(std::move(socket).value(), job());
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second.value()->place(), path);
    EXPECT_NE(ask(path, "GET /api/v1/copy HTTP/1.0\r\n\r\n").find("catching-up"),
              std::string::npos);
    EXPECT_NE(ask(path, "POST /api/v1/copy/pause HTTP/1.0\r\n\r\n").find("202"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(asked.read([](const auto& list) { return list; }),
            std::vector<CopyAction>{CopyAction::pause});
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wherry::control
