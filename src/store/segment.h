// One segment file: header, blocks, footer. Names, the parts that are not blocks, and the check of
// a file when a log is opened. docs/format/log.md has the grammar. Values and pure functions over
// files; one thread each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/block.h"

namespace wherry::store {

struct SegmentHeader {
  std::uint64_t number = 0;
  Dialect dialect = Dialect::mysql;
  std::string identity;
  Point first;   // of its first record
  Place before;  // where the stream stood at its begin
};

// What a definition holds is its writer's affair.
using Definition = std::shared_ptr<const std::string>;
using Definitions = std::map<std::uint64_t, Definition>;

// One block of records. last: the newest commit up to the end of the block, without the GTID set.
struct IndexEntry {
  std::uint64_t offset = 0;
  Point first;
  Place last;
};

struct Footer {
  Point end;    // behind its last record
  Place after;  // the newest commit up to there
  std::vector<IndexEntry> index;
  Definitions definitions;
};

// A segment as far as it is written. Unsealed ones have no footer yet.
struct Segment {
  SegmentHeader header;
  std::string path;
  std::uint64_t bytes = 0;   // of the whole file
  std::uint64_t blocks = 0;  // where its blocks begin
  std::uint64_t footer = 0;  // where its footer begins; unsealed: where the next block goes
  bool sealed = false;
  Footer content;  // sealed: without the index, which read_footer() brings
};

std::string segment_path(const std::string& folder, std::uint64_t number);
// The numbers of the segment files in a folder, ascending. Left-over temporary files are removed.
Result<std::vector<std::uint64_t>> list_segments(const std::string& folder);

std::string encode(const SegmentHeader& header);
// size: of the header in the file, to be set.
Result<SegmentHeader> read_segment_header(const File& file, std::uint64_t& size);

// The footer with what stands behind it to find it.
std::string encode(const Footer& footer, std::uint64_t offset);
// Whether a footer was begun at the offset and the file ends inside it.
Result<bool> footer_is_cut(const File& file, std::uint64_t offset);
struct FoundFooter {
  Footer footer;
  std::uint64_t offset = 0;
};
// Null: the file does not end in a footer. malformed: it does, but a damaged one.
Result<std::optional<FoundFooter>> read_footer(const File& file);

std::string encode_definitions(const Definitions& definitions);
Status decode_definitions(Bytes body, Definitions& into);

}  // namespace wherry::store
