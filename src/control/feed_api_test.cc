#include "control/feed_api.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "control/feed_client.h"
#include "control/fleet_for_tests.h"

namespace wherry::control {
namespace {

using nlohmann::json;

class FeedApi : public ::testing::Test, protected FleetForTests {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<HttpServer>> started =
        HttpServer::start(ListenAddress{"127.0.0.1", 0}, feed_routes(*fleet, {}));
    ASSERT_TRUE(started.ok());
    server = std::move(started).value();
    client = std::make_unique<httplib::Client>(server->place());
  }
  void TearDown() override { server.reset(); }

  httplib::Result post(const std::string& path, const json& body) {
    return client->Post(path, body.dump(), "application/json");
  }
  static json parsed(const httplib::Result& result) {
    return result ? json::parse(result->body, nullptr, false) : json();
  }
  static int code(const httplib::Result& result) { return result ? result->status : 0; }
  static bool has_error(const httplib::Result& result) {
    const json body = parsed(result);
    return body["error"]["code"].is_string() && body["error"]["message"].is_string() &&
           body["error"]["hint"].is_string();
  }
  void make(const std::string& name) {
    ASSERT_EQ(code(client->Post("/api/v1/feeds", dump(keys(name)), "application/json")), 201);
    ASSERT_TRUE(script(name)->wait_runs(1));
  }
  // One request as `wherry feed` makes it.
  Result<FeedReply> ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--server", server->place()});
    ProgramOptions program;
    const Result<FeedRequest> request = read_feed_request(words, program);
    if (!request.ok()) return request.error();
    return ask_server(request.value());
  }

  std::unique_ptr<HttpServer> server;
  std::unique_ptr<httplib::Client> client;
};

TEST_F(FeedApi, MakesShowsAndListsFeeds) {
  const httplib::Result made = client->Post("/api/v1/feeds", dump(keys("a")), "application/json");
  ASSERT_EQ(code(made), 201);
  EXPECT_EQ(parsed(made)["config"]["source"], "mysql://u:***@h/");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->progress(7, std::chrono::milliseconds(1500));
  fleet->tick();
  const json shown = parsed(client->Get("/api/v1/feeds/a"));
  EXPECT_EQ(shown["state"], "normal");
  EXPECT_EQ(shown["checkpoint"]["cseq"], 7);
  EXPECT_EQ(shown["checkpoint"]["position"]["offset"], 7);
  EXPECT_EQ(shown["lag_ms"], 1500);
  EXPECT_EQ(parsed(client->Get("/api/v1/feeds"))["feeds"].size(), 1U);
  EXPECT_EQ(parsed(client->Get("/api/v1/status"))["states"]["normal"], 1);
  EXPECT_EQ(client->Get("/api/v1/feeds")->body.find("secret"), std::string::npos);
}

TEST_F(FeedApi, RefusesWithTheRightStatus) {
  make("a");
  EXPECT_EQ(code(post("/api/v1/feeds", {{"name", "b"}})), 400);
  EXPECT_EQ(code(client->Post("/api/v1/feeds", "{", "application/json")), 400);
  EXPECT_EQ(code(client->Post("/api/v1/feeds", dump(keys("a")), "application/json")), 409);
  for (const char* path : {"/api/v1/feeds/b", "/api/v1/nothing"}) {
    const httplib::Result result = client->Get(path);
    EXPECT_EQ(code(result), 404) << path;
    EXPECT_TRUE(has_error(result)) << path;
  }
  EXPECT_EQ(code(client->Post("/api/v1/feeds/b/pause")), 404);
  EXPECT_EQ(code(client->Delete("/api/v1/feeds/b")), 404);
  const httplib::Result running =
      client->Patch("/api/v1/feeds/a", "{\"lanes\": 2}", "application/json");
  EXPECT_EQ(code(running), 409);
  EXPECT_NE(parsed(running)["error"]["hint"].get<std::string>().find("pause"), std::string::npos);
  const httplib::Result unknown =
      client->Patch("/api/v1/feeds/a", "{\"lane\": 2}", "application/json");
  EXPECT_EQ(code(unknown), 400);
  EXPECT_NE(unknown->body.find("did you mean lanes?"), std::string::npos);
  EXPECT_EQ(code(client->Post("/api/v1/feeds/a/resume")), 409);
}

TEST_F(FeedApi, SteersFeeds) {
  make("a");
  EXPECT_EQ(code(client->Post("/api/v1/feeds/a/syncpoint")), 202);
  EXPECT_EQ(code(client->Post("/api/v1/feeds/a/pause")), 202);
  ASSERT_TRUE(reaches("a", FeedState::stopped));
  EXPECT_EQ(parsed(client->Get("/api/v1/feeds/a"))["state"], "stopped");
  const httplib::Result changed =
      client->Patch("/api/v1/feeds/a", "{\"lanes\": 2}", "application/json");
  EXPECT_EQ(code(changed), 200);
  EXPECT_EQ(parsed(changed)["config"]["lanes"], "2");
  EXPECT_EQ(code(client->Post("/api/v1/feeds/a/resume")), 202);
  ASSERT_TRUE(script("a")->wait_runs(2));
  EXPECT_EQ(code(client->Delete("/api/v1/feeds/a")), 202);
  ASSERT_TRUE(reaches([&] { return !fleet->view("a"); }));
  EXPECT_EQ(code(client->Get("/api/v1/feeds/a")), 404);
}

TEST_F(FeedApi, EveryPathOfTheDescriptionAnswers) {
  make("x");
  const json description = parsed(client->Get("/api/v1/openapi.json"));
  EXPECT_EQ(description["openapi"], "3.0.3");
  EXPECT_TRUE(description["components"]["schemas"]["FeedConfig"]["properties"].contains("lanes"));
  for (const auto& [path, methods] : description["paths"].items()) {
    if (path == "/api/v1/events") continue;
    std::string real = path;
    if (real.find("{name}") != real.npos) real.replace(real.find("{name}"), 6, "x");
    for (const auto& [method, unused] : methods.items()) {
      if (method == "parameters" || method == "delete") continue;
      const int answered = method == "get"    ? code(client->Get(real))
                           : method == "post" ? code(client->Post(real, "{}", "application/json"))
                                              : code(client->Patch(real, "{}", "application/json"));
      EXPECT_NE(answered, 404) << method << " " << path;
      EXPECT_NE(answered, 0) << method << " " << path;
    }
  }
  EXPECT_EQ(code(client->Delete("/api/v1/feeds/x")), 202);
}

TEST_F(FeedApi, MetricsHaveTheFeedAsALabel) {
  make("a");
  script("a")->progress(7, std::chrono::milliseconds(1500));
  script("a")->state.with([](auto& s) { s.progress.gauges["inflight_bytes"] = 12; });
  fleet->tick();
  const std::string text = client->Get("/metrics")->body;
  for (const char* line :
       {"wherry_feed_state{feed=\"a\",state=\"normal\"} 1",
        "wherry_feed_checkpoint_cseq{feed=\"a\"} 7", "wherry_feed_lag_seconds{feed=\"a\"} 1.5",
        "wherry_inflight_bytes{feed=\"a\"} 12", "# TYPE wherry_inflight_bytes gauge"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(FeedApi, EventsBeginWithTheStatusAndTellChanges) {
  make("a");
  std::string text;
  client->Get("/api/v1/events", [&](const char* bytes, std::size_t size) {
    if (text.empty()) {
      EXPECT_TRUE(fleet->pause("a").ok());
    }
    text.append(bytes, size);
    return text.find("event: state\n") == std::string::npos;
  });
  EXPECT_TRUE(text.starts_with("event: status\ndata: {"));
  EXPECT_NE(text.find("\"from\":\"normal\",\"state\":\"stopped\""), std::string::npos) << text;
}

TEST_F(FeedApi, TheCommandAsksAndShows) {
  const Result<FeedReply> made = ask(
      {"create", "--name", "a", "--source", "mysql://u:secret-1@h/", "--sink", "file:///tmp/x"});
  ASSERT_TRUE(made.ok()) << made.error().what;
  ASSERT_TRUE(script("a")->wait_runs(1));
  EXPECT_NE(ask({"list"}).value().result.find("file:///tmp/x"), std::string::npos);
  EXPECT_EQ(ask({"show", "a"}).value().result.find("secret"), std::string::npos);
  EXPECT_EQ(json::parse(ask({"show", "--name", "a", "--json"}).value().result)["name"], "a");
  EXPECT_EQ(ask({"pause", "a"}).value().words, "feed a is stopped\n");
  EXPECT_TRUE(ask({"update", "a", "--lanes", "4"}).ok());
  EXPECT_EQ(fleet->view("a")->spec.lanes, 4U);
  EXPECT_TRUE(ask({"resume", "a"}).ok());
  EXPECT_EQ(ask({"remove", "a"}).value().words, "feed a is removed\n");
  EXPECT_EQ(ask({"show", "a"}).error().code, Errc::conflict);
}

TEST_F(FeedApi, TheCommandDoesNotWaitForEver) {
  make("a");
  script("a")->state.with([](auto& s) { s.heeds_stop = false; });
  const Result<FeedReply> told = ask({"pause", "a", "--wait", "0"});
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told.value().exit, ExitCode::done);
  script("a")->state.with([](auto& s) { s.heeds_stop = true; });
  ASSERT_TRUE(reaches("a", FeedState::stopped));
}

TEST(FeedRequests, AreReadFromWordsAndFiles) {
  ProgramOptions program;
  const auto read = [&](std::vector<std::string> words) {
    return read_feed_request(words, program);
  };
  const FolderForTests folder;
  {
    std::ofstream file(folder.file("feed.toml"));
    file << "name = \"a\"\nsource = \"mysql://u:p@h/\"\nsink = \"file:///x\"\nlanes = 3\n"
            "include = [\"a.*\", \"b.*\"]\n[log]\nmemory = \"32MiB\"\ncompress = true\n";
  }
  const Result<FeedRequest> made =
      read({"create", "--config", folder.file("feed.toml"), "--lanes", "5"});
  ASSERT_TRUE(made.ok()) << made.error().what;
  const json body = json::parse(made.value().body);
  EXPECT_EQ(body["lanes"], "5");
  EXPECT_EQ(body["log.memory"], "32MiB");
  EXPECT_EQ(body["log.compress"], "true");
  EXPECT_EQ(body["include"], json::array({"a.*", "b.*"}));
  EXPECT_EQ(made.value().name, "a");
  EXPECT_EQ(read({"update", "a", "--lanes", "5"}).value().body, "{\"lanes\":\"5\"}");
}

TEST(FeedRequests, AreRefusedBeforeTheyAreSent) {
  ProgramOptions program;
  const auto why = [&](std::vector<std::string> words) {
    const Result<FeedRequest> request = read_feed_request(words, program);
    EXPECT_FALSE(request.ok());
    return request.ok() ? "" : request.error().what;
  };
  EXPECT_NE(why({}).find("create"), std::string::npos);
  EXPECT_NE(why({"craete"}).find("did you mean create?"), std::string::npos);
  EXPECT_NE(why({"pause"}).find("--name"), std::string::npos);
  EXPECT_NE(why({"pause", "a", "--lanes", "3"}).find("unknown option"), std::string::npos);
  EXPECT_NE(why({"create", "a", "--lane", "3"}).find("did you mean --lanes?"), std::string::npos);
  EXPECT_NE(why({"create", "a", "--source", "mysql://h/"}).find("sink is missing"),
            std::string::npos);
  EXPECT_NE(why({"update", "a"}).find("nothing"), std::string::npos);
  EXPECT_NE(why({"show", "a/b"}).find("--name"), std::string::npos);
}

TEST(FeedRequests, AServerThatIsNotThereIsNamed) {
  FeedRequest request;
  request.server = "http://127.0.0.1:1";
  const Result<FeedReply> reply = ask_server(request);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, Errc::network);
  EXPECT_NE(reply.error().what.find("http://127.0.0.1:1"), std::string::npos);
}

}  // namespace
}  // namespace wherry::control
