#include "verify/row_digest.h"

#include <cstring>

namespace wherry::verify {
namespace {

constexpr char kNull = 0;
constexpr char kValue = 1;
constexpr std::size_t kFieldHead = 1 + sizeof(std::uint64_t);

}  // namespace

void RowHasher::begin(std::size_t bytes_max) {
  used_ = 0;
  if (buffer_.size() < bytes_max) buffer_.resize(bytes_max + bytes_max / 2);
}

void RowHasher::add(const mysql::FieldView& field) {
  char* out = buffer_.data() + used_;
  if (field.data == nullptr) {
    *out = kNull;
    used_ += 1;
    return;
  }
  const std::uint64_t size = field.size;
  *out = kValue;
  std::memcpy(out + 1, &size, sizeof size);
  std::memcpy(out + kFieldHead, field.data, field.size);
  used_ += kFieldHead + field.size;
}

Hash128 RowHasher::end() { return hash128({buffer_.data(), used_}); }

Hash128 RowHasher::row(std::span<const mysql::FieldView> fields) {
  std::size_t bytes_max = 0;
  for (const mysql::FieldView& field : fields) bytes_max += kFieldHead + field.size;
  begin(bytes_max);
  for (const mysql::FieldView& field : fields) add(field);
  return end();
}

Hash128 RowHasher::key(std::span<const mysql::FieldView> fields,
                       const std::vector<std::size_t>& positions) {
  std::size_t bytes_max = 0;
  for (const std::size_t at : positions) bytes_max += kFieldHead + fields[at].size;
  begin(bytes_max);
  for (const std::size_t at : positions) add(fields[at]);
  return end();
}

}  // namespace wherry::verify
