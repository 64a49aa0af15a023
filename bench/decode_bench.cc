// decode_bench [--frames | --cells] FILE...: CPU of decoding binlog files on one thread. All values
// to text, unless only frames (with checksums) or only cells (values left as they are) are asked
// for.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/rows.h"
#include "decode/value.h"

namespace wherry::decode {
namespace {

enum class Depth { frames, cells, text };

[[noreturn]] void stop(std::string_view what) {
  std::fprintf(stderr, "decode_bench: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) stop(result.error().what);
  return std::move(result).value();
}

struct Counts {
  std::size_t bytes = 0;
  std::size_t events = 0;
  std::size_t rows = 0;
  std::size_t values = 0;
  std::size_t text_bytes = 0;
};

// A stream's state, as the assembler and an applier hold it between them.
class Decoding {
 public:
  explicit Decoding(Depth depth) : depth_(depth) {}

  void file(Bytes bytes) {
    constexpr std::size_t kMagicSize = 4;
    counts_.bytes += bytes.size();
    bytes = bytes.subspan(std::min(kMagicSize, bytes.size()));
    while (bytes.size() >= kHeaderSize) {
      const std::size_t size = load_le(bytes.data() + 9, 4);
      if (size < kHeaderSize || size > bytes.size()) stop("a file is cut off inside an event");
      event(bytes.first(size), format_);
      bytes = bytes.subspan(size);
    }
  }
  const Counts& counts() const { return counts_; }

 private:
  void event(Bytes event, const FormatDescription& format) {
    ++counts_.events;
    const EventHeader header = must(decode_header(event));
    if (header.type == EventType::format_description) {
      format_ = must(decode_format_description(event));
      return;
    }
    const Bytes body = must(event_body(event, format, true));
    if (depth_ == Depth::frames) return;
    switch (role_of(header.type, header.flags)) {
      case EventRole::transaction:
        transaction(header, body, format);
        return;
      case EventRole::table_map:
        table_map(body, format);
        return;
      case EventRole::rows:
        rows(header, body, format);
        return;
      case EventRole::payload:
        payload(body, format);
        return;
      default:
        return;
    }
  }

  void transaction(const EventHeader& header, Bytes body, const FormatDescription& format) {
    if (header.type == EventType::query || header.type == EventType::mariadb_query_compressed) {
      counts_.text_bytes += must(decode_query(header, body, format)).statement.size();
    } else if (header.type != EventType::xid && header.type != EventType::xa_prepare) {
      counts_.text_bytes += must(decode_gtid(header, body)).number & 1;
    }
  }

  void payload(Bytes body, FormatDescription format) {
    constexpr std::size_t kBytesMax = std::size_t{1} << 30;
    const TransactionPayload unpacked = must(decode_transaction_payload(body, kBytesMax));
    format.checksummed = false;
    for (const Bytes inner : unpacked.events) event(inner, format);
  }

  void table_map(Bytes body, const FormatDescription& format) {
    TableMap map = must(decode_table_map(body, format));
    maps_[map.table_id] = std::move(map);
  }

  void rows(const EventHeader& header, Bytes body, const FormatDescription& format) {
    const auto found = maps_.find(must(RowsReader::table_id(header, body, format)));
    if (found == maps_.end()) stop("rows without a table map");
    RowsReader reader = must(RowsReader::open(header, body, found->second, format));
    while (must(reader.next(row_))) {
      ++counts_.rows;
      if (reader.kind() != RowKind::insert) values(found->second, row_.before);
      if (reader.kind() != RowKind::erase) values(found->second, row_.after);
    }
  }

  void values(const TableMap& map, const std::vector<Cell>& cells) {
    text_.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].present || cells[i].null || cells[i].partial_json) continue;
      ++counts_.values;
      if (depth_ == Depth::text) must(append_text(map.columns[i], cells[i], text_));
    }
    counts_.text_bytes += text_.size();
  }

  Depth depth_;
  FormatDescription format_;
  std::unordered_map<std::uint64_t, TableMap> maps_;
  RowView row_;
  std::string text_;
  Counts counts_;
};

Bytes map_file(const char* name) {
  const int file = ::open(name, O_RDONLY);
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0) stop(std::string("cannot open ") + name);
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) stop(std::string("empty file ") + name);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (at == MAP_FAILED) stop(std::string("cannot map ") + name);
  ::close(file);
  return {static_cast<const std::byte*>(at), size};
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run(int count, char** arguments) {
  Depth depth = Depth::text;
  std::vector<Bytes> files;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--frames")
      depth = Depth::frames;
    else if (argument == "--cells")
      depth = Depth::cells;
    else
      files.push_back(map_file(arguments[i]));
  }
  if (files.empty()) stop("usage: decode_bench [--frames | --cells] FILE...");

  const double begin = cpu_seconds();
  Decoding decoding(depth);
  for (const Bytes file : files) decoding.file(file);
  const double seconds = cpu_seconds() - begin;
  const Counts& counts = decoding.counts();
  std::printf(
      "%.3f CPU s, %zu events, %zu rows, %zu values, %.1f MB, %.0f rows/s, %.1f MB/s, "
      "%zu bytes of text\n",
      seconds, counts.events, counts.rows, counts.values, static_cast<double>(counts.bytes) / 1e6,
      static_cast<double>(counts.rows) / seconds, static_cast<double>(counts.bytes) / 1e6 / seconds,
      counts.text_bytes);
  return 0;
}

}  // namespace
}  // namespace wherry::decode

int main(int count, char** arguments) { return wherry::decode::run(count, arguments); }
