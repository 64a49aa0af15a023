#include "copy/side_by_side.h"

#include <atomic>
#include <optional>
#include <thread>

#include "support/guarded.h"

namespace wherry::copy {
namespace {

constexpr std::size_t kSessions = 8;

}  // namespace

Status run_side_by_side(const std::vector<NamedStatement>& statements,
                        const WithSession& with_session) {
  std::atomic<std::size_t> next{0};
  Guarded<std::optional<Error>> failed;
  const auto work = [&](mysql::Session& session) -> Status {
    for (;;) {
      const std::size_t mine = next.fetch_add(1);
      if (mine >= statements.size()) return Unit{};
      const Result<mysql::Outcome> done = session.execute(statements[mine].text);
      if (!done.ok()) return done.error().within(statements[mine].what);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(kSessions, statements.size()); ++i) {
    threads.emplace_back([&]() noexcept {
      const Status done = with_session(work);
      if (done.ok()) return;
      next = statements.size();
      failed.with([&](std::optional<Error>& first) {
        if (!first) first = done.error();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::optional<Error> error = failed.read([](const auto& first) { return first; });
  return error ? Status(*error) : Status(Unit{});
}

}  // namespace wherry::copy
