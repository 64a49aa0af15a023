// The keys of a feed as one table: the options of `wherry feed create`, the keys of its TOML file,
// the JSON of the API, the record in the state store, the schema in OpenAPI and the page
// docs/feeds-config.md all come from it. Values; no threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/feed_spec.h"
#include "control/json.h"
#include "control/option_table.h"
#include "support/result.h"

namespace wherry::control {

struct FeedKey {
  Option option;
  std::string_view usual;  // the default, in words where it is chosen
  std::string_view range;
  // The value as its setter reads it; more than one for a list, none where it is the default.
  std::function<std::vector<std::string>()> get;
  bool while_running = false;  // may be changed while the feed runs
};

// The table fills the spec, which must outlive it.
std::vector<FeedKey> feed_key_table(FeedSpec& spec);
std::vector<Option> feed_options(FeedSpec& spec);

// A JSON object of keys; "log": {"memory": ...} means "log.memory". Errc::usage names the key, the
// nearest right one where it is unknown. null: as if it were not there.
Result<FeedSpec> feed_from_json(const Json& document);

// The object that feed_from_json() reads. redact: without passwords, for everybody's eyes.
enum class Secrets { kept, hidden };
Json feed_json(const FeedSpec& spec, Secrets secrets);

// The spec with some keys changed as RFC 7386 does: null takes a key back to its default. The name
// stays. changed: the keys whose value is another one now.
struct FeedChange {
  FeedSpec spec;
  std::vector<std::string> changed;
};
Result<FeedChange> changed_feed(const FeedSpec& spec, const Json& patch);

// What may not be changed while the feed runs, of these keys.
std::vector<std::string> keys_that_need_a_stop(std::span<const std::string> changed);

// Settings of a command line and a file as the JSON that the API takes, references replaced.
Result<Json> settings_json(std::span<const Option> table, std::span<const Setting> settings);

// The row of docs/feeds-config.md.
std::string page_row(const FeedKey& key);

}  // namespace wherry::control
