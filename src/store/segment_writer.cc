#include "store/segment_writer.h"

#include <utility>

namespace wherry::store {

SegmentWriter::SegmentWriter(File file, Segment segment, const Options& options)
    : file_(std::move(file)), segment_(std::move(segment)), compress_(options.compress) {}

Result<SegmentWriter> SegmentWriter::create(const Options& options, const SegmentHeader& header) {
  Segment segment;
  segment.header = header;
  segment.path = segment_path(options.folder, header.number);
  const std::string bytes = encode(header);
  Status placed = replace_file(segment.path, as_bytes(bytes), options.calls);
  if (!placed.ok()) return placed.error();
  segment.bytes = segment.blocks = segment.footer = bytes.size();
  segment.content.end = header.first;
  segment.content.after = header.before;
  Result<File> file = File::open_to_write(segment.path, options.calls);
  if (!file.ok()) return file.error();
  return SegmentWriter(std::move(file).value(), std::move(segment), options);
}

Result<SegmentWriter> SegmentWriter::resume(const Options& options, Segment segment) {
  Result<File> file = File::open_to_write(segment.path, options.calls);
  if (!file.ok()) return file.error();
  Status done = file.value().truncate(segment.footer);
  // What a killed process wrote may still be in the system's memory only.
  if (done.ok()) done = file.value().sync();
  if (!done.ok()) return done.error();
  segment.bytes = segment.footer;
  return SegmentWriter(std::move(file).value(), std::move(segment), options);
}

Status SegmentWriter::append(BlockHeader header, Bytes body, const BodySummary& summary,
                             const Place& newest) {
  const std::uint64_t offset = segment_.footer;
  Status done = write(header, body);
  if (!done.ok()) return done;
  segment_.content.end = summary.end;
  segment_.content.index.push_back({offset, header.first, newest});
  return Unit{};
}

Status SegmentWriter::append(const Definitions& definitions, std::uint64_t last_cseq) {
  const std::string body = encode_definitions(definitions);
  BlockHeader header;
  header.kind = BlockKind::definitions;
  header.first = segment_.content.end;
  header.last_cseq = last_cseq;
  Status done = write(header, as_bytes(body));
  if (!done.ok()) return done;
  for (const auto& [id, content] : definitions) segment_.content.definitions[id] = content;
  return Unit{};
}

Status SegmentWriter::write(BlockHeader header, Bytes body) {
  const Bytes stored = pack(header, body, compress_, packed_);
  Status done = write_block(file_, segment_.footer, header, stored);
  if (!done.ok()) return done;
  segment_.footer += framed_bytes(header);
  segment_.bytes = segment_.footer;
  return Unit{};
}

Status SegmentWriter::sync() { return file_.sync(); }

Status SegmentWriter::seal(const Place& after) {
  segment_.content.after = after;
  const std::string footer = encode(segment_.content, segment_.footer);
  const Bytes bytes = as_bytes(footer);
  Status done = file_.write(segment_.footer, std::span(&bytes, 1));
  if (done.ok()) done = file_.sync();
  if (!done.ok()) return done;
  segment_.bytes = segment_.footer + footer.size();
  segment_.sealed = true;
  return Unit{};
}

}  // namespace wherry::store
