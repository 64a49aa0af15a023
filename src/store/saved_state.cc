#include "store/saved_state.h"

#include <fmt/format.h>

#include <filesystem>

#include "store/bytes_out.h"
#include "store/file.h"
#include "support/hash.h"

namespace wherry::store {
namespace {

constexpr std::uint64_t kMagic = 0x5453475952524857;  // "WHRRYGST"

std::string path_in(const std::string& folder) { return folder + "/state"; }

}  // namespace

Result<SavedState> read_state(const std::string& folder) {
  const std::string path = path_in(folder);
  if (!std::filesystem::exists(path)) return SavedState{};
  const Result<File> file = File::open_to_read(path);
  if (!file.ok()) return file.error();
  const Result<std::uint64_t> size = file.value().size();
  if (!size.ok()) return size.error();
  std::vector<std::byte> bytes(size.value());
  const Result<std::size_t> got = file.value().read(0, bytes);
  if (!got.ok()) return got.error();
  const Error damaged{Errc::malformed,
                      path +
                          ": the file is damaged; without it the log keeps its rows, but "
                          "nobody's progress: remove it once all consumers are known"};
  if (bytes.size() < 4) return damaged;
  const Bytes content = Bytes(bytes).first(bytes.size() - 4);
  if (load_le(bytes.data() + content.size(), 4) != crc32c_of(content)) return damaged;
  wherry::Cursor in(content);
  if (in.uint_le(8) != kMagic) return damaged;
  SavedState state;
  state.durable_cseq = in.uint_le(8);
  for (std::uint64_t left = in.uint_le(4); left > 0 && !in.failed(); --left) {
    const std::uint64_t cseq = in.uint_le(8);
    state.consumers[read_text(in)] = cseq;
  }
  if (in.failed() || in.size() != 0) return damaged;
  return state;
}

Status write_state(const Options& options, const SavedState& state) {
  BytesOut out;
  out.uint(kMagic, 8).uint(state.durable_cseq, 8).uint(state.consumers.size(), 4);
  for (const auto& [name, cseq] : state.consumers) out.uint(cseq, 8).text(name);
  const std::uint32_t crc = crc32c_of(out.bytes());
  out.uint(crc, 4);
  return replace_file(path_in(options.folder), out.bytes(), options.calls);
}

}  // namespace wherry::store
