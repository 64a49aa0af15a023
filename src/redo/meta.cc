#include "redo/meta.h"

#include <algorithm>
#include <array>

#include "store/bytes_out.h"
#include "support/hash.h"

namespace wherry::redo {
namespace {

constexpr std::string_view kMagic = "WHERRYRM";
constexpr std::size_t kSize = 8 + 4 * 8 + 4;

}  // namespace

Status write_meta(storage::Storage& storage, const std::string& feed, const Meta& meta,
                  const storage::Limits& limits) {
  store::BytesOut out;
  out.uint(load_le(as_bytes(kMagic).data(), 8), 8).uint(meta.epoch.number, 8);
  out.uint(meta.epoch.nonce, 8);
  out.uint(std::min(meta.checkpoint, meta.resolved), 8).uint(meta.resolved, 8);
  store::BytesOut crc;
  crc.uint(crc32c_of(out.bytes()), 4);
  const std::array<Bytes, 2> parts{out.bytes(), crc.bytes()};
  return storage.put(meta_name(feed), parts, limits);
}

std::optional<Meta> read_meta(storage::Storage& storage, const std::string& feed,
                              const storage::Limits& limits) {
  const auto bytes = storage.get(meta_name(feed), 0, kSize + 1, limits);
  if (!bytes.ok() || bytes.value().size() != kSize) return std::nullopt;
  const Bytes content = Bytes(bytes.value()).first(kSize - 4);
  if (load_le(bytes.value().data() + content.size(), 4) != crc32c_of(content)) return std::nullopt;
  wherry::Cursor in(content);
  if (in.text(kMagic.size()) != kMagic) return std::nullopt;
  Meta meta;
  meta.epoch.number = in.uint_le(8);
  meta.epoch.nonce = in.uint_le(8);
  meta.checkpoint = in.uint_le(8);
  meta.resolved = in.uint_le(8);
  if (meta.checkpoint > meta.resolved) return std::nullopt;
  return meta;
}

}  // namespace wherry::redo
