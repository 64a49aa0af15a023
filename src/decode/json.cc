#include <bit>

#include "decode/json_text.h"
#include "decode/number_text.h"
#include "decode/value.h"

namespace wherry::decode {
namespace {

enum class JsonType : std::uint8_t {
  small_object = 0,
  large_object = 1,
  small_array = 2,
  large_array = 3,
  literal = 4,
  int16 = 5,
  uint16 = 6,
  int32 = 7,
  uint32 = 8,
  int64 = 9,
  uint64 = 10,
  double_ = 11,
  string = 12,
  opaque = 15
};

// Where a container's parts stand; the table of entries is known to lie within it.
struct Container {
  Bytes bytes;            // from the count on; offsets are relative to this
  std::size_t width = 2;  // of counts and offsets
  std::size_t count = 0;
  std::size_t keys = 0;    // offset of the key entries, objects only
  std::size_t values = 0;  // offset of the value entries
};

// Lengths carry seven bits a byte, the lowest first.
std::size_t read_length(Cursor& in) {
  std::size_t length = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const std::uint64_t part = in.uint_le(1);
    length |= static_cast<std::size_t>(part & 0x7F) << shift;
    if ((part & 0x80) == 0) return length;
  }
  in.fail();
  return 0;
}

// Prints one document. Strings and containers that several entries share could be printed again and
// again, so what is visited is counted: no true document has more of them than its own size.
// Numbers need no count, as each has an entry of its own that was counted.
class JsonPrinter {
 public:
  JsonPrinter(std::size_t size, std::string& out) : budget_(size), out_(out) {}

  // value: from its first byte to the end of what encloses it. False: no binary JSON.
  bool print(JsonType type, Bytes value, std::size_t depth);

 private:
  bool print_container(JsonType type, Bytes value, std::size_t depth);
  bool print_entry(const Container& container, std::size_t index, std::size_t depth);
  bool print_key(const Container& container, std::size_t index);
  bool print_literal(std::uint64_t literal);
  bool print_long_scalar(JsonType type, Bytes value);
  bool charge(std::size_t size) {
    if (size > budget_) return false;
    budget_ -= size;
    return true;
  }

  std::size_t budget_;
  std::string& out_;
};

constexpr std::size_t kDepthMax = 128;  // the server stops at 100

bool is_container(JsonType type) { return type <= JsonType::large_array; }
bool is_object(JsonType type) { return type <= JsonType::large_object; }
bool is_large(JsonType type) {
  return type == JsonType::large_object || type == JsonType::large_array;
}

// Small enough to stand in the entry itself.
bool is_inlined(JsonType type, std::size_t width) {
  if (type == JsonType::literal || type == JsonType::int16 || type == JsonType::uint16) return true;
  return width == 4 && (type == JsonType::int32 || type == JsonType::uint32);
}

std::optional<Container> open_container(JsonType type, Bytes value) {
  Container container;
  container.width = is_large(type) ? 4 : 2;
  Cursor in(value);
  container.count = in.uint_le(container.width);
  const std::size_t size = in.uint_le(container.width);
  if (in.failed() || size > value.size() || container.count > size) return std::nullopt;
  container.bytes = value.first(size);
  container.keys = 2 * container.width;
  container.values =
      container.keys + (is_object(type) ? container.count * (container.width + 2) : 0);
  if (container.values + container.count * (container.width + 1) > size) return std::nullopt;
  return container;
}

bool JsonPrinter::print_literal(std::uint64_t literal) {
  if (literal == 0)
    out_ += "null";
  else if (literal == 1)
    out_ += "true";
  else if (literal == 2)
    out_ += "false";
  return literal <= 2;
}

bool JsonPrinter::print_long_scalar(JsonType type, Bytes value) {
  Cursor in(value);
  if (type == JsonType::opaque) {
    const auto field_type = static_cast<unsigned>(in.uint_le(1));
    const Bytes bytes = in.bytes(read_length(in));
    return !in.failed() && charge(bytes.size() + 2) &&
           append_json_opaque(field_type, bytes, out_).ok();
  }
  const std::string_view text = in.text(read_length(in));
  if (in.failed() || !charge(text.size() + 1)) return false;
  append_json_string(text, out_);
  return true;
}

bool JsonPrinter::print(JsonType type, Bytes value, std::size_t depth) {
  if (is_container(type)) return print_container(type, value, depth);
  Cursor in(value);
  switch (type) {
    case JsonType::literal:
      return print_literal(in.uint_le(1)) && !in.failed();
    case JsonType::int16:
      append_number(static_cast<std::int16_t>(in.uint_le(2)), out_);
      return !in.failed();
    case JsonType::uint16:
      append_number(in.uint_le(2), out_);
      return !in.failed();
    case JsonType::int32:
      append_number(static_cast<std::int32_t>(in.uint_le(4)), out_);
      return !in.failed();
    case JsonType::uint32:
      append_number(in.uint_le(4), out_);
      return !in.failed();
    case JsonType::int64:
      append_number(static_cast<std::int64_t>(in.uint_le(8)), out_);
      return !in.failed();
    case JsonType::uint64:
      append_number(in.uint_le(8), out_);
      return !in.failed();
    case JsonType::double_: {
      const double number = std::bit_cast<double>(in.uint_le(8));
      return !in.failed() && append_json_double(number, out_).ok();
    }
    case JsonType::string:
    case JsonType::opaque:
      return print_long_scalar(type, value);
    default:
      return false;
  }
}

bool JsonPrinter::print_key(const Container& container, std::size_t index) {
  const std::byte* const entry =
      container.bytes.data() + container.keys + index * (container.width + 2);
  const std::size_t offset = load_le(entry, container.width);
  const std::size_t size = load_le(entry + container.width, 2);
  if (offset > container.bytes.size() || size > container.bytes.size() - offset) return false;
  if (!charge(size)) return false;
  append_json_string(as_text(container.bytes.subspan(offset, size)), out_);
  out_ += ": ";
  return true;
}

bool JsonPrinter::print_entry(const Container& container, std::size_t index, std::size_t depth) {
  const std::size_t entry = container.values + index * (container.width + 1);
  const auto type = static_cast<JsonType>(container.bytes[entry]);
  if (is_inlined(type, container.width)) {
    return print(type, container.bytes.subspan(entry + 1, container.width), depth);
  }
  const std::size_t offset = load_le(container.bytes.data() + entry + 1, container.width);
  if (offset < container.values || offset >= container.bytes.size()) return false;
  return print(type, container.bytes.subspan(offset), depth);
}

bool JsonPrinter::print_container(JsonType type, Bytes value, std::size_t depth) {
  const std::optional<Container> container = open_container(type, value);
  if (!container || depth >= kDepthMax) return false;
  if (!charge(container->values + container->count * (container->width + 1))) return false;

  out_ += is_object(type) ? '{' : '[';
  for (std::size_t i = 0; i < container->count; ++i) {
    if (i > 0) out_ += ", ";
    if (is_object(type) && !print_key(*container, i)) return false;
    if (!print_entry(*container, i, depth + 1)) return false;
  }
  out_ += is_object(type) ? '}' : ']';
  return true;
}

}  // namespace

Status append_json(Bytes binary, std::string& out) {
  // The server reads a value of no bytes, which only old tables hold, as null.
  if (binary.empty()) {
    out += "null";
    return Unit{};
  }
  JsonPrinter printer(binary.size(), out);
  if (printer.print(static_cast<JsonType>(binary[0]), binary.subspan(1), 0)) return Unit{};
  return Error{Errc::malformed, "binary JSON"};
}

Result<std::vector<JsonDiff>> decode_json_diffs(const Cell& cell) {
  enum : std::uint64_t { replace = 0, insert = 1, remove = 2 };
  Cursor in(cell.bytes());
  std::vector<JsonDiff> diffs;
  while (in.size() > 0) {
    const std::uint64_t operation = in.uint_le(1);
    JsonDiff diff;
    diff.path = in.text(in.packed());
    const Bytes value = operation == remove ? Bytes{} : in.bytes(in.packed());
    if (in.failed()) return Error{Errc::truncated, "JSON diff"};
    if (operation > remove) return Error{Errc::malformed, "JSON diff: unknown operation"};
    if (operation == remove) {
      diff.operation = JsonOperation::remove;
    } else {
      diff.operation = operation == insert ? JsonOperation::insert : JsonOperation::replace;
      const Status text = append_json(value, diff.value);
      if (!text.ok()) return text.error().within("JSON diff");
    }
    diffs.push_back(std::move(diff));
  }
  return diffs;
}

}  // namespace wherry::decode
