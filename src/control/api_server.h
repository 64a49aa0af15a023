// The HTTP API of a running copy. Every answer is made from one published status. The calls it was
// given come from any of its threads and must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "control/copy_job.h"
#include "control/http_server.h"
#include "control/live_settings.h"
#include "control/status.h"
#include "model/uri.h"
#include "support/result.h"

namespace wherry::control {

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
  const std::string& place() const { return server_->place(); }

 private:
  struct Answers;
  template <typename Place>
  static Result<std::unique_ptr<ApiServer>> start_at(Place place, ApiCalls calls);
  explicit ApiServer(std::unique_ptr<Answers> answers);

  std::unique_ptr<Answers> answers_;
  std::unique_ptr<HttpServer> server_;  // ends before what answers
};

}  // namespace wherry::control
