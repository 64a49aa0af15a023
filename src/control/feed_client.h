// What `wherry feed` asks a server, and what it shows of the answer. Values; one thread.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "control/copy_options.h"
#include "control/exit_code.h"
#include "control/option_table.h"
#include "support/result.h"

namespace wherry::control {

enum class FeedAction { create, list, show, pause, resume, update, remove };

struct FeedRequest {
  FeedAction action = FeedAction::list;
  std::string server = "http://127.0.0.1:8400";
  std::string name;                        // of every action but list
  std::string body;                        // JSON of create and update, with passwords
  bool json = false;                       // the result as the server gave it
  std::chrono::milliseconds wait{30'000};  // for a feed that stops; 0: do not
};

// "create --name a --source ...", "pause a", "pause --name a". Errc::usage says what is wrong.
Result<FeedRequest> read_feed_request(std::span<const std::string> arguments,
                                      ProgramOptions& program);

// Every option of all actions, for the help.
std::vector<Option> feed_option_table();

struct FeedReply {
  std::string result;  // for stdout
  std::string words;   // for people
  ExitCode exit = ExitCode::done;
};
// Errc::network where the server cannot be reached; what it refuses is an error with its words.
Result<FeedReply> ask_server(const FeedRequest& request);

}  // namespace wherry::control
