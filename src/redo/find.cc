#include "redo/find.h"

#include "store/place_tracker.h"
#include "store/record.h"

namespace wherry::redo {
namespace {

// The last transaction within of one file, whose header is within.
Result<store::Place> last_in_file(storage::Storage& storage, const Archive& archive,
                                  const ArchiveFile& file, const Within& within,
                                  const storage::Limits& limits) {
  const auto bytes = storage.get(file.name, 0, file.bytes, limits);
  if (!bytes.ok()) return bytes.error().within(file.name);
  const Expected expected{archive.claim().feed, file.epoch, file.number, {}, {}};
  Result<FileWalk> walk = FileWalk::open(bytes.value(), file.name, expected);
  if (!walk.ok()) return walk.error();
  const FileHeader& header = walk.value().header();
  Result<store::PlaceTracker> tracker = store::PlaceTracker::make(header.dialect, header.before);
  if (!tracker.ok()) return tracker.error();
  store::Place last = header.before;
  for (;;) {
    const Result<std::optional<store::BlockView>> view = walk.value().next();
    if (!view.ok()) return view.error();
    if (!view.value()) return last;
    if (view.value()->header.kind == store::BlockKind::snapshot) continue;
    store::RecordWalk records(view.value()->body);
    while (records.next()) {
      store::Commit commit;
      if (records.kind() != store::RecordKind::commit || !records.commit(commit)) continue;
      tracker.value().add(commit);
      const store::Place place = tracker.value().place();
      const Result<bool> inside = within(place);
      if (!inside.ok()) return inside.error();
      if (!inside.value()) return last;
      last = place;
    }
  }
}

}  // namespace

Result<store::Place> last_within(storage::Storage& storage, const Archive& archive,
                                 const Within& within, const storage::Limits& limits) {
  const Result<bool> all = within(archive.resolved());
  if (!all.ok()) return all.error();
  if (all.value()) return archive.resolved();
  const std::vector<ArchiveFile>& files = archive.files();
  std::size_t low = 0;  // files before it end within
  std::size_t high = files.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Result<FileFooter> footer = read_footer(storage, files[middle], limits);
    if (!footer.ok()) return footer.error();
    const Result<bool> inside = within(footer.value().after);
    if (!inside.ok()) return inside.error();
    if (inside.value()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == files.size()) return archive.resolved();
  return last_in_file(storage, archive, files[low], within, limits);
}

}  // namespace wherry::redo
