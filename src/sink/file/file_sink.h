// file:///folder: one file of JSON lines for each table, one line a change, and one file of all
// statements; durable by fsync. docs/format/file-sink.md has the format. A change that is in its
// file already is left out, so each stands there once, whatever was killed when. Owns its threads;
// each writes files of its own, encodes and syncs off the feeding threads.
#pragma once

#include <memory>

#include "dispatch/async_sink.h"
#include "model/uri.h"
#include "sink/file/line_file.h"

namespace wherry::sink {

struct FileSinkOptions {
  std::string folder;  // made when it is missing
  unsigned writers = 2;
  std::size_t files_open_max = 200;  // of each writer
  DiskCalls calls;
};

// usage: an option that there is not, or no path.
Result<std::unique_ptr<dispatch::AsyncSink>> open_file_sink(const Uri& uri);
std::unique_ptr<dispatch::AsyncSink> make_file_sink(const FileSinkOptions& options);

}  // namespace wherry::sink
