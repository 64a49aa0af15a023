#include "sink/file/file_sink.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>

#include "sink/file/file_writer.h"
#include "support/hash.h"
#include "support/nearest.h"

namespace wherry::sink {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kOptions = {"writers"sv};
constexpr unsigned kWritersMax = 64;

class FileSink final : public dispatch::AsyncSink {
 public:
  explicit FileSink(const FileSinkOptions& options) : options_(options) {}
  ~FileSink() override { close(); }

  Status start(Listener& listener) override {
    std::error_code failed;
    std::filesystem::create_directories(options_.folder, failed);
    if (failed) {
      return Error{Errc::io,
                   fmt::format("cannot make the folder {}: {}", options_.folder, failed.message()),
                   0};
    }
    for (unsigned i = 0; i < options_.writers; ++i)
      writers_.push_back(std::make_unique<FileWriter>(options_, listener, counts_));
    return Unit{};
  }
  void accept(std::unique_ptr<dispatch::TableRows> rows) override {
    FileWriter& writer = writer_of(rows->target);
    writer.push(std::move(rows));
  }
  void write_block_event(dispatch::BlockEvent event) override {
    auto statement = std::make_shared<SharedStatement>();
    statement->event = std::move(event);
    statement->files_left = statement->event.targets.size() + 1;
    for (const TableName& target : statement->event.targets)
      writer_of(target).push(statement, target);
    writers_.front()->push(statement, {});
  }
  // Writers stay until the sink is destroyed: a table may still be handed over meanwhile.
  void close() override {
    for (const auto& writer : writers_) writer->close();
  }
  std::uint64_t changes() const override { return counts_.changes.load(std::memory_order_relaxed); }
  std::map<std::string, double> gauges() const override {
    return {{"sink_rows", static_cast<double>(changes())},
            {"sink_bytes", static_cast<double>(counts_.bytes.load(std::memory_order_relaxed))},
            {"sink_syncs", static_cast<double>(counts_.syncs.load(std::memory_order_relaxed))}};
  }

 private:
  FileWriter& writer_of(const TableName& target) {
    return *writers_[hash64(target.to_string()) % writers_.size()];
  }

  const FileSinkOptions options_;
  WriterCounts counts_;
  std::vector<std::unique_ptr<FileWriter>> writers_;
};

}  // namespace

std::unique_ptr<dispatch::AsyncSink> make_file_sink(const FileSinkOptions& options) {
  return std::make_unique<FileSink>(options);
}

Result<std::unique_ptr<dispatch::AsyncSink>> open_file_sink(const Uri& uri) {
  FileSinkOptions options;
  options.folder = uri.path;
  if (!uri.host.empty() || uri.path.size() < 2 || uri.path.front() != '/')
    return Error{Errc::usage, "a file sink is file:///folder", 0};
  for (const auto& [name, value] : uri.options) {
    if (name != "writers") {
      return Error{Errc::usage,
                   fmt::format("file:// has no option '{}'{}", name, did_you_mean(name, kOptions)),
                   0};
    }
    options.writers = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    if (options.writers == 0 || options.writers > kWritersMax) {
      return Error{Errc::usage, fmt::format("file:// writers must be 1 to {}", kWritersMax), 0};
    }
  }
  return make_file_sink(options);
}

}  // namespace wherry::sink
