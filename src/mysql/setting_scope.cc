#include "mysql/setting_scope.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace wherry::mysql {
namespace {

std::string assignment(const Setting& setting) {
  std::string value = "NULL";
  if (setting.value) {
    const std::string& text = *setting.value;
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    value = number ? text : quote_text(text);
  }
  return fmt::format("SESSION {} = {}", setting.name, value);
}

std::string statement(const std::vector<Setting>& settings) {
  std::string sql;
  for (const Setting& one : settings) sql += (sql.empty() ? "SET " : ", ") + assignment(one);
  return sql;
}

}  // namespace

SettingScope::~SettingScope() {
  if (!before_.empty()) (void)session_.execute(statement(before_));
}

Status SettingScope::set(const std::vector<Setting>& settings) {
  if (settings.empty()) return Unit{};
  std::string select;
  for (const Setting& one : settings) {
    select += fmt::format("{}@@SESSION.{}", select.empty() ? "SELECT " : ", ", one.name);
  }
  Result<Rows> now = session_.query(select);
  if (!now.ok()) return now.error().within("read the session's settings");
  std::vector<Setting> changes;
  std::vector<Setting> before;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Field& old = now.value().rows.at(0).at(i);
    if (old == settings[i].value) continue;
    changes.push_back(settings[i]);
    const bool known = std::any_of(before_.begin(), before_.end(), [&](const Setting& one) {
      return one.name == settings[i].name;
    });
    if (!known) before.push_back({settings[i].name, old});
  }
  if (changes.empty()) return Unit{};
  Result<Outcome> done = session_.execute(statement(changes));
  if (!done.ok()) return done.error().within("settings of the session");
  std::move(before.begin(), before.end(), std::back_inserter(before_));
  return Unit{};
}

}  // namespace wherry::mysql
