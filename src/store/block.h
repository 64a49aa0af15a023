// Blocks: the frame around records on disk, with the range of cseqs and the checksums that name
// what is damaged. docs/format/log.md has the grammar. A BlockReader belongs to one thread; its
// body lives until the next read() unless hold() keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/file.h"

namespace wherry::store {

// snapshot: a piece of one (redo/piece.h); in redo only, a log holds none.
enum class BlockKind : std::uint8_t { records = 0, definitions = 1, snapshot = 2 };
enum class Codec : std::uint8_t { none = 0, zstd = 1 };

struct BlockHeader {
  std::uint32_t stored_bytes = 0;  // of the body, in the file
  std::uint32_t body_bytes = 0;    // once unpacked
  BlockKind kind = BlockKind::records;
  Codec codec = Codec::none;
  bool continues = false;  // begins inside the transaction first.cseq
  bool open = false;       // ends inside the transaction last_cseq
  Point first;
  std::uint64_t last_cseq = 0;  // of the last record; definitions: that of the block before
};

inline constexpr std::size_t kBlockHead = 44;
inline constexpr std::size_t kBlockTail = 8;
inline std::uint64_t framed_bytes(const BlockHeader& header) {
  return kBlockHead + std::uint64_t{header.stored_bytes} + kBlockTail;
}

void encode(const BlockHeader& header, std::byte* at);
Result<BlockHeader> decode_block_header(Bytes head);
// "FILE, byte 1234 (cseq 5 to 9)": how every damage is named.
std::string place_of(const std::string& path, std::uint64_t offset, const BlockHeader& header);
// What is stored of a body: the same bytes, or, asked to compress, a zstd frame in `packed` where
// that is smaller. Sets sizes and codec.
Bytes pack(BlockHeader& header, Bytes body, bool compress, std::vector<std::byte>& packed);
// Puts head and tail around a body that stands kBlockHead behind the begin of the frame, which has
// framed_bytes() of memory.
void frame(const BlockHeader& header, std::span<std::byte> bytes);
// Writes the frame and its stored body at the offset.
Status write_block(const File& file, std::uint64_t offset, BlockHeader& header, Bytes stored);

// One block of a file that is in memory.
struct BlockView {
  BlockHeader header;
  Bytes body;
};
// As BlockReader::read(). name: of the file, for messages. The body lies in the file's bytes, or
// in `unpacked`.
Result<BlockView> view_block(Bytes file, const std::string& name, std::uint64_t offset,
                             std::uint64_t seen, std::vector<std::byte>& unpacked);

class BlockReader {
 public:
  // One whole block, its checksums verified and its body unpacked. truncated: the file ends inside
  // it; malformed: it is damaged; both name file, byte and cseqs. seen: the last cseq before it,
  // for a damaged header.
  Result<BlockHeader> read(const File& file, std::uint64_t offset, std::uint64_t seen);
  Bytes body() const { return *body_; }
  // Keeps the body: the next one comes to another place.
  std::shared_ptr<const void> hold() {
    held_ = true;
    return body_;
  }
  const void* block() const { return body_.get(); }

 private:
  Status read_stored(const File& file, std::uint64_t offset, const BlockHeader& header);
  std::vector<std::byte>& room(std::size_t size);

  std::shared_ptr<std::vector<std::byte>> body_ = std::make_shared<std::vector<std::byte>>();
  bool held_ = false;              // by somebody else too, perhaps of another thread
  std::vector<std::byte> stored_;  // only for blocks that are packed
};

}  // namespace wherry::store
