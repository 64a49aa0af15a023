// The HTTP API of a running copy, on loopback or a control socket alone: it has no password. Owns
// its listening thread and a bounded pool that answers; every answer is made from one published
// status. The calls it was given come from any of its threads and must outlive it; the destructor
// ends all streams.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "control/control_socket.h"
#include "control/copy_job.h"
#include "control/live_settings.h"
#include "control/status.h"
#include "model/uri.h"
#include "support/result.h"

namespace wherry::control {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;  // 0: any that is free
};

// "127.0.0.1:8400", "localhost:0", "[::1]:8400". Refuses addresses that others could reach.
Result<ListenAddress> parse_listen_address(std::string_view text);

struct ApiCalls {
  std::function<std::shared_ptr<const CopyStatus>()> status;
  std::function<Status(CopyAction)> request;
  std::function<Status(const Endpoint&)> swap_source;
  std::function<Status(const LiveSettings&)> change_settings;  // may be empty: refused with 409
};

class ApiServer {
 public:
  // Listens when it returns.
  static Result<std::unique_ptr<ApiServer>> start(const ListenAddress& address, ApiCalls calls);
  static Result<std::unique_ptr<ApiServer>> start(ControlSocket socket, ApiCalls calls);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // "http://127.0.0.1:8400", or the path of the socket.
  const std::string& place() const { return place_; }

 private:
  struct Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  std::string place_;
};

}  // namespace wherry::control
