#include "redo/cleaner.h"

#include <utility>

namespace wherry::redo {

Result<std::size_t> Cleaner::run(const storage::Limits& limits) {
  Result<Archive> archive = Archive::open(storage_, feed_, limits);
  if (!archive.ok()) return archive.error();
  const std::vector<ArchiveFile>& files = archive.value().files();
  std::size_t removed = 0;
  // The last file stays: it says where the checkpoint is.
  for (std::size_t i = 0; i + 1 < files.size(); ++i) {
    const Result<FileFooter> footer = read_footer(storage_, files[i], limits);
    if (!footer.ok()) return footer.error();
    const store::Point& end = footer.value().end;
    const std::uint64_t last = end.row == 0 ? end.cseq - 1 : end.cseq;
    if (last >= archive.value().checkpoint()) break;
    const Status gone = storage_.remove({&files[i].name, 1}, limits);
    if (!gone.ok()) return gone.error();
    ++removed;
  }
  std::vector<std::string> useless = archive.value().strays();
  for (std::string& name : archive.value().old_claims()) useless.push_back(std::move(name));
  if (useless.empty()) return removed;
  if (Status gone = storage_.remove(useless, limits); !gone.ok()) return gone.error();
  return removed + useless.size();
}

}  // namespace wherry::redo
