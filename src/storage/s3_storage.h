// Objects in a bucket of S3, or of anything that speaks like it. docs/storage.md says what it needs
// to be able to do. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "storage/http.h"
#include "storage/s3_client.h"
#include "support/guarded.h"

namespace wherry::storage {

class S3Storage : public Storage {
 public:
  // now: what time it is, for signatures.
  S3Storage(S3Setup setup, std::unique_ptr<HttpClient> http, S3Client::WallClock now);

  Status put(const std::string& name, Parts parts, const Limits& limits) override;
  // The first create finds out whether the server honours the condition.
  Result<bool> create(const std::string& name, Parts parts, const Limits& limits) override;
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const Limits& limits) override;
  Result<std::vector<Entry>> list(const std::string& prefix, const std::string& after,
                                  std::size_t count, const Limits& limits) override;
  Status remove(std::span<const std::string> names, const Limits& limits) override;
  bool is_remote() const override { return true; }
  std::string describe() const override { return client_.options().describe(); }

 private:
  std::string key_of(std::string_view name) const;
  Result<unsigned> put_if_none(const std::string& key, Parts parts, const Limits& limits);
  Result<bool> find_out_conditional(const Limits& limits);
  Result<bool> remove_batch(std::span<const std::string> names, const Limits& limits);
  Status remove_one(const std::string& key, const Limits& limits);

  const std::unique_ptr<HttpClient> http_;
  S3Client client_;
  Guarded<std::optional<bool>> conditional_;  // whether If-None-Match is honoured, once known
  std::atomic<bool> batches_{true};           // whether the server removes several at once
};

}  // namespace wherry::storage
