#include "control/feed_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/uri.h"
#include "sql/condition.h"
#include "sql/statement.h"
#include "storage/open.h"
#include "support/nearest.h"

namespace wherry::control {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kSinkSchemes = {"mysql"sv, "mariadb"sv,   "file"sv,    "s3"sv,
                                     "kafka"sv, "blackhole"sv, "emulated"sv};

// What the API shows must not come back as a password.
Status check_whole(const std::string& uri) {
  if (uri.find("${") != std::string::npos) {
    return usage_error(
        "'${' is replaced by `wherry feed` and not by the server (in a password write '$' as %24)");
  }
  if (uri.find(":***@") != std::string::npos || uri.find("=***") != std::string::npos) {
    return usage_error("the password is hidden here ('***'); write it out (a '*' may be %2A)");
  }
  return Unit{};
}

// Cuts at the first '=' that stands outside backticks.
std::optional<std::pair<std::string, std::string>> cut_pattern(const std::string& text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') quoted = !quoted;
    if (text[i] == '\\' && !quoted)
      ++i;
    else if (text[i] == '=' && !quoted)
      return std::pair(text.substr(0, i), text.substr(i + 1));
  }
  return std::nullopt;
}

// All filters that match a table count, so "not these" would have no meaning among them.
Status check_pattern(const std::string& text) {
  const Result<Pattern> pattern = Pattern::parse(text);
  if (!pattern.ok()) return pattern.error();
  if (pattern.value().negated()) return usage_error("a pattern cannot begin with '!' here");
  return Unit{};
}

Status set_kinds(EventFilter& filter, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    bool* kind = nullptr;
    Status chosen =
        choice_setter<bool*>(kind, {{"insert", &filter.inserts},
                                    {"update", &filter.updates},
                                    {"delete", &filter.deletes}})(std::string(list.substr(0, end)));
    if (!chosen.ok()) return chosen;
    *kind = true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  if (!filter.inserts && !filter.updates && !filter.deletes)
    return usage_error("it names no kind: insert, update, delete");
  return Unit{};
}

// Statements that change rows by themselves, and what is no statement of its own, follow
// docs/DDL.md always.
bool has_policy(const sql::KindRow& row) {
  const auto is = [&row](sql::Kind kind) { return row.kind == kind; };
  return row.policy != sql::Policy::control && !is(sql::Kind::dml) && !is(sql::Kind::unknown) &&
         !is(sql::Kind::set_statement) && !is(sql::Kind::temporary_table);
}

const sql::KindRow* kind_named(std::string_view name) {
  for (const sql::KindRow& row : sql::kinds()) {
    if (row.name == name && has_policy(row)) return &row;
  }
  return nullptr;
}

std::string unknown_kind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const sql::KindRow& row : sql::kinds()) {
    if (has_policy(row)) names.push_back(row.name);
  }
  return fmt::format("'{}' is no kind of statement that has a policy{}", name,
                     did_you_mean(name, names));
}

std::string quoted_side(const std::string& database, const std::string& table) {
  const auto part = [](const std::string& name) {
    if (name.find_first_of(".=`*?") == std::string::npos) return name;
    std::string out = "`";
    for (const char c : name) out += c == '`' ? "``" : std::string(1, c);
    return out + "`";
  };
  return table.empty() ? part(database) : part(database) + "." + part(table);
}

std::string_view to_string(DdlPolicy policy) {
  switch (policy) {
    case DdlPolicy::apply:
      return "apply";
    case DdlPolicy::skip:
      return "skip";
    case DdlPolicy::stop:
      return "stop";
  }
  return "stop";
}

}  // namespace

std::string exact_size(std::uint64_t bytes) {
  constexpr std::array kUnits = {std::pair(40, "TiB"), std::pair(30, "GiB"), std::pair(20, "MiB"),
                                 std::pair(10, "KiB")};
  for (const auto& [shift, unit] : kUnits) {
    if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0)
      return fmt::format("{}{}", bytes >> shift, unit);
  }
  return std::to_string(bytes);
}

std::string exact_duration(std::chrono::milliseconds time) {
  if (time.count() == 0) return "0";
  if (time.count() % 1000 == 0) return fmt::format("{}s", time.count() / 1000);
  return fmt::format("{}ms", time.count());
}

Setter server_uri_setter(std::string& into) {
  return [&into](const std::string& value) -> Status {
    if (Status whole = check_whole(value); !whole.ok()) return whole;
    const Result<Endpoint> endpoint = parse_endpoint(value);
    if (!endpoint.ok()) return endpoint.error();
    into = value;
    return Unit{};
  };
}

Setter storage_uri_setter(std::string& into) {
  return [&into](const std::string& value) -> Status {
    if (Status whole = check_whole(value); !whole.ok()) return whole;
    const Result<std::unique_ptr<storage::Storage>> storage = storage::open_storage(value);
    if (!storage.ok()) return storage.error();
    into = value;
    return Unit{};
  };
}

Setter sink_uri_setter(std::string& into) {
  return [&into](const std::string& value) -> Status {
    if (Status whole = check_whole(value); !whole.ok()) return whole;
    const Result<Uri> uri = parse_uri(value);
    if (!uri.ok()) return uri.error();
    const std::string& scheme = uri.value().scheme;
    if (std::find(kSinkSchemes.begin(), kSinkSchemes.end(), scheme) == kSinkSchemes.end()) {
      return usage_error(
          fmt::format("no sink is at {}://{}", scheme, did_you_mean(scheme, kSinkSchemes)));
    }
    if (scheme == "mysql" || scheme == "mariadb") {
      const Result<Endpoint> endpoint = parse_endpoint(value);
      if (!endpoint.ok()) return endpoint.error();
    }
    into = value;
    return Unit{};
  };
}

std::string rename_text(const RenameRule& rule) {
  const std::string from =
      rule.pattern ? rule.pattern->text() : quoted_side(rule.from_database, rule.from_table);
  return from + "=" + quoted_side(rule.to_database, rule.to_table);
}

Setter event_filter_setter(std::vector<EventFilter>& into) {
  return [&into](const std::string& value) -> Status {
    const auto cut = cut_pattern(value);
    if (!cut) return usage_error("it is written pattern=insert,update,delete");
    if (Status pattern = check_pattern(cut->first); !pattern.ok()) return pattern;
    EventFilter filter{cut->first};
    if (Status kinds = set_kinds(filter, cut->second); !kinds.ok()) return kinds;
    into.push_back(std::move(filter));
    return Unit{};
  };
}

std::string event_filter_text(const EventFilter& filter) {
  std::string kinds;
  const auto add = [&kinds](bool set, std::string_view word) {
    if (!set) return;
    if (!kinds.empty()) kinds += ',';
    kinds += word;
  };
  add(filter.inserts, "insert");
  add(filter.updates, "update");
  add(filter.deletes, "delete");
  return filter.pattern + "=" + kinds;
}

Setter row_filter_setter(std::vector<RowFilter>& into) {
  return [&into](const std::string& value) -> Status {
    const auto cut = cut_pattern(value);
    if (!cut || cut->second.find_first_not_of(" \t\r\n") == std::string::npos)
      return usage_error("it is written pattern=expression, for example shop.orders=amount > 5");
    if (Status pattern = check_pattern(cut->first); !pattern.ok()) return pattern;
    const Result<sql::Condition> condition = sql::Condition::parse(cut->second);
    if (!condition.ok()) return condition.error();
    into.push_back({cut->first, cut->second});
    return Unit{};
  };
}

Setter ddl_setter(std::map<std::string, DdlPolicy>& into) {
  return [&into](const std::string& value) -> Status {
    const std::size_t equals = value.find('=');
    if (equals == value.npos) return usage_error("it is written kind=apply|skip|stop");
    const std::string name = value.substr(0, equals);
    const sql::KindRow* row = kind_named(name);
    if (row == nullptr) return usage_error(unknown_kind(name));
    DdlPolicy policy = DdlPolicy::stop;
    Status chosen = choice_setter(policy, {{"apply", DdlPolicy::apply},
                                           {"skip", DdlPolicy::skip},
                                           {"stop", DdlPolicy::stop}})(value.substr(equals + 1));
    if (!chosen.ok()) return chosen.error().within(name);
    if (policy == DdlPolicy::apply && row->policy != sql::Policy::apply)
      return usage_error(
          fmt::format("{} is never applied: {}; it is skip or stop", name, row->why));
    if (!into.emplace(name, policy).second)
      return usage_error(fmt::format("{} has two policies", name));
    return Unit{};
  };
}

std::vector<std::string> ddl_texts(const std::map<std::string, DdlPolicy>& policies) {
  std::vector<std::string> out;
  out.reserve(policies.size());
  for (const auto& [kind, policy] : policies)
    out.push_back(fmt::format("{}={}", kind, to_string(policy)));
  return out;
}

}  // namespace wherry::control
