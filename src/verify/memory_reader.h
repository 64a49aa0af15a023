// A table in memory for the tests of the comparison: rows of texts, of which the first field is the
// key, a number.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "verify/row_reader.h"

namespace wherry::verify {

using TextRow = std::vector<std::optional<std::string>>;

class MemoryReader : public RowReader {
 public:
  explicit MemoryReader(std::vector<TextRow> rows) : rows_(std::move(rows)) {}

  std::vector<TextRow>& rows() { return rows_; }
  // The next readings break off half-way, this often, and begin anew as a server's would.
  void fail_next(int times) { failures_ = times; }
  // The reading with this number (from 1), and every later one, fails for good.
  void break_at(int reading) { broken_at_ = reading; }
  // Runs before the reading with this number.
  void before(int reading, std::function<void(std::vector<TextRow>&)> change) {
    change_at_ = reading;
    change_ = std::move(change);
  }
  // Runs before each reading.
  void before_each(std::function<void(std::vector<TextRow>&)> change) { each_ = std::move(change); }
  int readings() const { return readings_; }
  std::size_t rows_sent() const { return sent_; }

  Status read(const RowRequest& request, const std::function<void()>& restart,
              const std::function<void(std::span<const mysql::FieldView>)>& row) override {
    if (++readings_ == change_at_) change_(rows_);
    if (each_) each_(rows_);
    if (broken_at_ != 0 && readings_ >= broken_at_) return Error{Errc::network, "gone", 0};
    std::vector<const TextRow*> chosen;
    for (const TextRow& one : rows_) {
      if (holds(request.range, one)) chosen.push_back(&one);
    }
    if (request.first > 0) {
      std::sort(chosen.begin(), chosen.end(), [](auto a, auto b) { return key(*a) < key(*b); });
      chosen.resize(std::min<std::size_t>(chosen.size(), request.first));
    }
    for (; failures_ > 0; --failures_) {
      restart();
      for (std::size_t i = 0; i < chosen.size() / 2; ++i) send(*chosen[i], row);
    }
    restart();
    for (const TextRow* one : chosen) send(*one, row);
    return Unit{};
  }

 private:
  static long key(const TextRow& row) { return row[0] ? std::stol(*row[0]) : 0; }
  static bool holds(const KeyRange& range, const TextRow& row) {
    return (!range.after || key(row) > std::stol(range.after->at(0))) &&
           (!range.through || key(row) <= std::stol(range.through->at(0)));
  }
  void send(const TextRow& row,
            const std::function<void(std::span<const mysql::FieldView>)>& take) {
    std::vector<mysql::FieldView> fields;
    for (const auto& field : row) {
      fields.push_back(field ? mysql::FieldView{field->data(), field->size()} : mysql::FieldView{});
    }
    ++sent_;
    take(fields);
  }

  std::vector<TextRow> rows_;
  int failures_ = 0;
  int broken_at_ = 0;
  int change_at_ = 0;
  int readings_ = 0;
  std::size_t sent_ = 0;
  std::function<void(std::vector<TextRow>&)> change_;
  std::function<void(std::vector<TextRow>&)> each_;
};

}  // namespace wherry::verify
