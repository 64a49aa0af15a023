#include <fmt/core.h>

#include <algorithm>

#include "sql/create_table.h"
#include "sql/normal_form.h"

namespace wherry::sql {
namespace {

using Lines = std::vector<std::string>;

const NormalColumn* find(const std::vector<NormalColumn>& columns, const std::string& name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const NormalColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<NormalColumn>& columns,
                     const std::vector<NormalColumn>& also_in) {
  std::string names;
  for (const NormalColumn& column : columns) {
    if (find(also_in, column.name) == nullptr) continue;
    if (!names.empty()) names += ", ";
    names += column.name;
  }
  return names;
}

void compare_columns(const std::vector<NormalColumn>& source,
                     const std::vector<NormalColumn>& target, Lines& lines) {
  for (const NormalColumn& column : source) {
    const NormalColumn* other = find(target, column.name);
    if (other == nullptr) {
      lines.push_back("only at the source: " + column.text);
    } else if (other->form != column.form) {
      lines.push_back("source: " + column.text + " | target: " + other->text);
    }
  }
  for (const NormalColumn& column : target) {
    if (find(source, column.name) == nullptr) lines.push_back("only at the target: " + column.text);
  }
  const std::string source_order = names_of(source, target);
  const std::string target_order = names_of(target, source);
  if (source_order != target_order) {
    lines.push_back("order of columns: source: " + source_order + " | target: " + target_order);
  }
}

void compare_sets(const std::map<std::string, std::string>& source,
                  const std::map<std::string, std::string>& target, Lines& lines) {
  for (const auto& [form, text] : source) {
    if (target.count(form) == 0) lines.push_back("only at the source: " + text);
  }
  for (const auto& [form, text] : target) {
    if (source.count(form) == 0) lines.push_back("only at the target: " + text);
  }
}

void compare_options(const std::map<std::string, std::string>& source,
                     const std::map<std::string, std::string>& target, Lines& lines) {
  for (const auto& [name, value] : source) {
    const auto other = target.find(name);
    if (other == target.end()) {
      lines.push_back(fmt::format("only at the source: {}={}", name, value));
    } else if (other->second != value) {
      lines.push_back(fmt::format("source: {0}={1} | target: {0}={2}", name, value, other->second));
    }
  }
  for (const auto& [name, value] : target) {
    if (source.count(name) == 0)
      lines.push_back(fmt::format("only at the target: {}={}", name, value));
  }
}

}  // namespace

std::vector<std::string> differences(const CreateTable& source, const CreateTable& target) {
  const NormalTable from = normal_form(source);
  const NormalTable to = normal_form(target);
  Lines lines;
  compare_columns(from.columns, to.columns, lines);
  compare_sets(from.keys, to.keys, lines);
  compare_sets(from.foreign_keys, to.foreign_keys, lines);
  compare_sets(from.checks, to.checks, lines);
  compare_options(from.options, to.options, lines);
  return lines;
}

}  // namespace wherry::sql
