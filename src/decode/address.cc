#include "decode/address.h"

#include "decode/number_text.h"

namespace wherry::decode {
namespace {

constexpr char kHex[] = "0123456789abcdef";

unsigned value_of(std::byte byte) { return std::to_integer<unsigned>(byte); }

// UUIDs of versions 1 to 5 are kept with their five parts in reverse order, so that those made from
// the clock sort by time; later versions as they are written. Servers before 10.11.5 reversed those
// too: no valid UUID kept as written looks like a reversed one of version 6 or 7, so they are
// known.
bool is_reordered(const Sixteen& record) {
  const unsigned version = value_of(record[8]);
  return (record[6] & std::byte{0x80}) != std::byte{0} && version > 0 && version < 0x80;
}

void append_hex(const std::byte* at, std::size_t count, std::string& out) {
  for (std::size_t i = 0; i < count; ++i) {
    out += kHex[value_of(at[i]) >> 4];
    out += kHex[value_of(at[i]) & 15];
  }
}

void append_dotted(const std::byte* at, std::string& out) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (i > 0) out += '.';
    append_number(value_of(at[i]), out);
  }
}

struct ZeroRun {
  std::size_t first = 8;
  std::size_t count = 0;
};

// The longest run of zero groups, the first of equals. The server shortens even one alone.
ZeroRun longest_zeros(const std::array<unsigned, 8>& groups) {
  ZeroRun best;
  ZeroRun run;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != 0) {
      run.count = 0;
      continue;
    }
    if (run.count++ == 0) run.first = i;
    if (run.count > best.count) best = run;
  }
  return best;
}

}  // namespace

void append_uuid(const Sixteen& record, std::string& out) {
  struct Part {
    std::size_t written;
    std::size_t reordered;
    std::size_t size;
  };
  constexpr Part kParts[] = {{0, 12, 4}, {4, 10, 2}, {6, 8, 2}, {8, 6, 2}, {10, 0, 6}};
  const bool reordered = is_reordered(record);
  for (const Part& part : kParts) {
    if (part.written > 0) out += '-';
    append_hex(record.data() + (reordered ? part.reordered : part.written), part.size, out);
  }
}

void append_inet4(const std::array<std::byte, 4>& record, std::string& out) {
  append_dotted(record.data(), out);
}

void append_inet6(const Sixteen& record, std::string& out) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<unsigned>(load_be(record.data() + 2 * i, 2));
  }
  const ZeroRun zeros = longest_zeros(groups);
  // IPv4 inside IPv6: "::1.2.3.4" and "::ffff:1.2.3.4".
  const bool mapped = zeros.first == 0 && zeros.count == 5 && groups[5] == 0xFFFF;
  const bool compatible = zeros.first == 0 && zeros.count == 6;

  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == zeros.first) {
      out += "::";
      i += zeros.count - 1;
      continue;
    }
    if (i > 0 && i != zeros.first + zeros.count) out += ':';
    if (i == 6 && (mapped || compatible)) {
      append_dotted(record.data() + 12, out);
      return;
    }
    char digits[8];
    const auto end = std::to_chars(digits, digits + sizeof digits, groups[i], 16);
    out.append(digits, static_cast<std::size_t>(end.ptr - digits));
  }
}

}  // namespace wherry::decode
