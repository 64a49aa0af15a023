// Requests arrive as they were made, answers come back whole, and a server that hangs, breaks off
// or says too much ends the call. The server is a socket of this process.

#include "storage/curl_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using std::chrono::milliseconds;

// Serves one connection after the other, each by the same words.
class LoopbackServer {
 public:
  // serve: reads and writes on a connection until it is done with it.
  explicit LoopbackServer(std::function<void(int connection)> serve) : serve_(std::move(serve)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, generic, &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~LoopbackServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  int connections() const { return connections_; }

 private:
  void run() {
    while (true) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      ++connections_;
      serve_(connection);
      ::close(connection);
    }
  }

  const std::function<void(int)> serve_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

// Head and body of one request, or what came of it before the end.
std::string read_request(int connection) {
  std::string text;
  char buffer[4096];
  while (true) {
    const std::size_t head = text.find("\r\n\r\n");
    if (head != std::string::npos) {
      const std::size_t length = text.find("Content-Length: ");
      const std::size_t body = length < head ? std::stoul(text.substr(length + 16)) : 0;
      if (text.size() >= head + 4 + body) return text;
    }
    const ssize_t count = ::read(connection, buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void write_text(int connection, std::string_view text) {
  (void)::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

// Until the other side has gone.
void linger(int connection) {
  char byte;
  while (::read(connection, &byte, 1) > 0) {
  }
}

std::string body_of(const Result<HttpAnswer>& answer) {
  return answer.ok() ? std::string(as_text(answer.value().body)) : code_of(answer);
}

HttpRequest request_for(const std::string& url) {
  HttpRequest request;
  request.method = "GET";
  request.url = url;
  return request;
}

TEST(CurlClient, SendsWhatItIsGivenAndReadsTheAnswer) {
  Guarded<std::string> seen;
  const LoopbackServer server([&](int connection) {
    const std::string request = read_request(connection);
    seen.with([&](std::string& text) { text = request; });
    write_text(connection, "HTTP/1.1 201 Made\r\nETag: \"t\" \r\nContent-Length: 4\r\n\r\nbody");
  });
  CurlClient client({});
  const std::string half(300'000, 'x');
  const std::array<Bytes, 3> parts{as_bytes("ab"), Bytes{}, as_bytes(half)};
  HttpRequest request = request_for(server.url("/a%20b/../c?x=1"));
  request.method = "PUT";
  request.headers = {{"authorization", "me"}, {"x-empty", ""}};
  request.body = parts;
  const Result<HttpAnswer> answer = client.send(request, {});
  EXPECT_EQ(body_of(answer), "body");
  EXPECT_EQ(answer.value().status, 201u);
  EXPECT_EQ(answer.value().headers.at("etag"), "\"t\"");
  const std::string text = seen.read([](const std::string& now) { return now; });
  EXPECT_TRUE(text.starts_with("PUT /a%20b/../c?x=1 HTTP/1.1\r\n")) << text.substr(0, 80);
  EXPECT_NE(text.find("authorization: me\r\n"), std::string::npos);
  EXPECT_NE(text.find("x-empty:\r\n"), std::string::npos);
  EXPECT_NE(text.find("Content-Length: 300002\r\n"), std::string::npos);
  EXPECT_EQ(text.find("Expect:"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\nab" + half));
}

TEST(CurlClient, ConnectionsAreUsedAgain) {
  const LoopbackServer server([](int connection) {
    while (!read_request(connection).empty())
      write_text(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  CurlClient client({});
  for (int i = 0; i < 5; ++i) {
    HttpRequest request = request_for(server.url("/"));
    const Bytes body = as_bytes("text");
    request.method = i % 2 == 0 ? "GET" : "POST";
    if (i % 2 == 1) request.body = Parts(&body, 1);
    EXPECT_EQ(body_of(client.send(request, {})), "ok") << i;
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlClient, AStatusIsNoError) {
  const LoopbackServer server([](int connection) {
    read_request(connection);
    write_text(connection, "HTTP/1.1 503 Slow\r\nContent-Length: 0\r\n\r\n");
  });
  CurlClient client({});
  const Result<HttpAnswer> answer = client.send(request_for(server.url("/")), {});
  ASSERT_EQ(what_of(answer), "ok");
  EXPECT_EQ(answer.value().status, 503u);
}

TEST(CurlClient, ABrokenAnswerIsTheNetworks) {
  for (const char* const words : {"", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"}) {
    const LoopbackServer server([&](int connection) {
      read_request(connection);
      write_text(connection, words);
    });
    CurlClient client({});
    EXPECT_EQ(body_of(client.send(request_for(server.url("/")), {})), "network") << words;
  }
  std::string url;
  {
    url = LoopbackServer([](int) {}).url("/");
  }
  CurlClient client({});
  EXPECT_EQ(body_of(client.send(request_for(url), {})), "network");
}

TEST(CurlClient, AnAnswerThatIsTooLongIsCutOff) {
  const LoopbackServer server([](int connection) {
    read_request(connection);
    write_text(connection, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901");
  });
  CurlClient client({});
  HttpRequest request = request_for(server.url("/"));
  request.answer_max = 10;
  EXPECT_EQ(body_of(client.send(request, {})), "malformed");
  request.answer_max = 11;
  EXPECT_EQ(body_of(client.send(request, {})), "12345678901");
}

TEST(CurlClient, ASilentServerIsGivenUp) {
  const LoopbackServer server([](int connection) {
    read_request(connection);
    write_text(connection, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    linger(connection);
  });
  CurlOptions options;
  options.stall_timeout = milliseconds(20);
  CurlClient stalling(options);
  const Result<HttpAnswer> stalled = stalling.send(request_for(server.url("/")), {});
  EXPECT_EQ(code_of(stalled), "timeout");
  EXPECT_EQ(what_of(stalled), "nothing moved for 20ms");
  CurlClient client({});
  Limits limits;
  limits.timeout = milliseconds(20);
  EXPECT_EQ(code_of(client.send(request_for(server.url("/")), limits)), "timeout");
}

TEST(CurlClient, AStopEndsTheCall) {
  std::stop_source stop;
  const LoopbackServer server([&](int connection) {
    read_request(connection);
    stop.request_stop();
    linger(connection);
  });
  CurlClient client({});
  const Limits limits{milliseconds(300'000), stop.get_token()};
  EXPECT_EQ(code_of(client.send(request_for(server.url("/")), limits)), "interrupted");
  EXPECT_EQ(code_of(client.send(request_for(server.url("/")), limits)), "interrupted");
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlClient, OnlyHttpIsSpoken) {
  CurlClient client({});
  EXPECT_EQ(code_of(client.send(request_for("file:///etc/hostname"), {})), "usage");
  EXPECT_EQ(code_of(client.send(request_for("no url at all"), {})), "usage");
}

}  // namespace
}  // namespace wherry::storage
