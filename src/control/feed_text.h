// Feeds for people, from the documents of the API. Pure.
#pragma once

#include <string>

#include "control/json.h"

namespace wherry::control {

std::string feed_table(const Json& list);  // one line a feed
std::string feed_page(const Json& feed);   // all of one feed

}  // namespace wherry::control
