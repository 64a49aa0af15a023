// How the values of a feed's keys are read and written: filters, policies of statements, URIs, and
// sizes and times without loss. What a text function writes its setter reads. Values; no threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "control/feed_spec.h"
#include "control/option_setters.h"

namespace wherry::control {

// "64MiB" where nothing is lost by it, "1500" otherwise.
std::string exact_size(std::uint64_t bytes);
std::string exact_duration(std::chrono::milliseconds time);

// A URI that can be connected to: no references are left in it and no password is hidden.
Setter server_uri_setter(std::string& into);
Setter sink_uri_setter(std::string& into);
Setter storage_uri_setter(std::string& into);

std::string rename_text(const RenameRule& rule);

// "shop.*=insert,delete"
Setter event_filter_setter(std::vector<EventFilter>& into);
std::string event_filter_text(const EventFilter& filter);

// "shop.orders=amount > 5"; the first '=' outside backticks ends the pattern.
Setter row_filter_setter(std::vector<RowFilter>& into);

// "drop-table=skip"; a kind that is not applied anyway can be skipped or can stop the feed.
Setter ddl_setter(std::map<std::string, DdlPolicy>& into);
std::vector<std::string> ddl_texts(const std::map<std::string, DdlPolicy>& policies);

}  // namespace wherry::control
