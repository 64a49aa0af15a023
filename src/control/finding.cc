#include "control/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "control/status_json.h"

namespace wherry::control {
namespace {

constexpr std::string_view kTable = "table ";
constexpr std::size_t kNamesMax = 20;

// For people: what is said of many tables is said once, with their names.
std::vector<Finding> merged(const std::vector<Finding>& findings) {
  struct Group {
    Finding first;
    std::vector<std::string> names;
  };
  std::vector<Group> groups;
  std::map<std::tuple<Severity, std::string, std::string>, std::size_t> places;
  for (const Finding& finding : findings) {
    const bool of_table = finding.subject.starts_with(kTable);
    const std::size_t next = groups.size();
    const auto place =
        of_table ? places.try_emplace({finding.severity, finding.message, finding.remedy}, next)
                       .first->second
                 : next;
    if (place == next) groups.push_back({finding, {}});
    if (of_table) groups[place].names.push_back(finding.subject.substr(kTable.size()));
  }
  std::vector<Finding> out;
  for (Group& group : groups) {
    const std::size_t count = group.names.size();
    if (count > 1) {
      const std::size_t shown = std::min(count, kNamesMax);
      group.first.subject = fmt::format("{} tables", count);
      group.first.message += fmt::format(
          ": {}", fmt::join(group.names.begin(),
                            group.names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
      if (count > shown) group.first.message += fmt::format(" and {} more", count - shown);
    }
    out.push_back(std::move(group.first));
  }
  return out;
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::refusal:
      return "refusal";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "note";
}

void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
}

Status verdict(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : merged(findings)) {
    if (finding.severity != Severity::refusal) continue;
    text += fmt::format("{}{}: {}{}{}", text.empty() ? "" : "\n", finding.subject, finding.message,
                        finding.remedy.empty() ? "" : "; remedy: ", finding.remedy);
  }
  if (text.empty()) return Unit{};
  return Error{Errc::refused, text};
}

std::vector<std::string> warning_texts(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : merged(findings)) {
    if (finding.severity != Severity::warning) continue;
    out.push_back(fmt::format("{}: {}", finding.subject, finding.message));
  }
  return out;
}

std::string findings_table(const std::vector<Finding>& all) {
  const std::vector<Finding> findings = merged(all);
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.subject.size());
  width = std::min<std::size_t>(width, 40);
  std::string out;
  std::size_t refusals = 0;
  std::size_t warnings = 0;
  for (const Finding& finding : findings) {
    refusals += finding.severity == Severity::refusal ? 1 : 0;
    warnings += finding.severity == Severity::warning ? 1 : 0;
    out += fmt::format("{:<8} {:<{}}  {}\n", to_string(finding.severity), finding.subject, width,
                       finding.message);
    if (!finding.remedy.empty())
      out += fmt::format("{:<8} {:<{}}  -> {}\n", "", "", width, finding.remedy);
  }
  return out + fmt::format("{} refusals, {} warnings: a copy {}\n", refusals, warnings,
                           refusals == 0 ? "may start" : "would be refused");
}

std::string findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  bool refused = false;
  for (const Finding& finding : findings) {
    refused = refused || finding.severity == Severity::refusal;
    list.push_back({{"severity", to_string(finding.severity)},
                    {"subject", finding.subject},
                    {"message", finding.message},
                    {"remedy", finding.remedy}});
  }
  return dump({{"command", "check"}, {"refused", refused}, {"findings", list}}, 2) + "\n";
}

}  // namespace wherry::control
