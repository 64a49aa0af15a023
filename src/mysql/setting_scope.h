// Session settings changed for the length of a scope and put back at its end. Borrows the session;
// its thread. After a lost connection there is nothing to put back, and nothing is said.
#pragma once

#include <string>
#include <vector>

#include "mysql/session.h"

namespace wherry::mysql {

struct Setting {
  std::string name;  // a system variable
  Field value;       // as SELECT shows it; null: NULL
};

class SettingScope {
 public:
  explicit SettingScope(Session& session) : session_(session) {}
  ~SettingScope();
  SettingScope(const SettingScope&) = delete;
  SettingScope& operator=(const SettingScope&) = delete;

  // All of them in one statement; those that have their value already are left alone. After a
  // failure none is changed. A variable may be set several times: the first value is what comes
  // back.
  Status set(const std::vector<Setting>& settings);

 private:
  Session& session_;
  std::vector<Setting> before_;
};

}  // namespace wherry::mysql
