#include "control/hook.h"

#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "control/http_client.h"

namespace wherry::control {
namespace {

Status post(const Hook& hook, std::chrono::seconds timeout) {
  const std::string& what = hook.option;
  const Result<HttpReply> reply = http_call(
      {"POST", hook.command_or_url, fmt::format("{{\"outcome\":\"{}\"}}", hook.outcome), timeout});
  if (!reply.ok()) return reply.error().within(what);
  const int status = reply.value().status;
  if (status / 100 != 2) return Error{Errc::server, fmt::format("{} answered {}", what, status), 0};
  return Unit{};
}

Status run(const Hook& hook, std::chrono::seconds timeout) {
  const std::string& what = hook.option;
  const std::string command = fmt::format("WHERRY_OUTCOME={}; export WHERRY_OUTCOME; {}",
                                          hook.outcome, hook.command_or_url);
  // The run keeps its signals blocked; a child must be able to receive its own.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const char* const argv[] = {"/bin/sh", "-c", command.c_str(), nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, "/bin/sh", nullptr, &attributes, const_cast<char* const*>(argv), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return Error{Errc::io, fmt::format("{}: cannot start a shell", what), 0};
  const auto until = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return Error{Errc::timeout,
                   fmt::format("{}: the command did not end within {} s", what, timeout.count()),
                   0};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Unit{};
  return Error{Errc::server,
               fmt::format("{}: the command failed ({})", what,
                           WIFEXITED(status) ? WEXITSTATUS(status) : -1),
               0};
}

}  // namespace

Status call_hook(const Hook& hook, std::chrono::seconds timeout) {
  const std::string& target = hook.command_or_url;
  const bool url = target.rfind("http://", 0) == 0 || target.rfind("https://", 0) == 0;
  return url ? post(hook, timeout) : run(hook, timeout);
}

}  // namespace wherry::control
