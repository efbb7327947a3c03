#include "storage/storage_quota.h"

#include <algorithm>

#include "storage/file_writes.h"

namespace mb::storage {

namespace {
constexpr int kMaxReads = 5;
// In bytes. To find out what such a file replaces would cost more than to receive it in vain.
constexpr int64_t kSmallFile = 64 * 1024;
}  // namespace

bool StorageQuota::Permit::raise(int64_t bytes, int64_t use, int64_t max) {
  if (bytes <= bytes_) return true;
  const std::lock_guard lock(quota_.mutex_);
  const auto found = quota_.reserved_.find(project_);
  const int64_t others = found == quota_.reserved_.end() ? 0 : found->second - bytes_;
  if (bytes > max - use - others) return false;
  quota_.reserved_[project_] = others + bytes;
  bytes_ = bytes;
  return true;
}

void StorageQuota::Permit::release() {
  if (bytes_ == 0) return;
  const std::lock_guard lock(quota_.mutex_);
  const auto found = quota_.reserved_.find(project_);
  found->second -= bytes_;
  if (found->second == 0) quota_.reserved_.erase(found);
  bytes_ = 0;
}

int64_t StorageQuota::reserved(store::ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto found = reserved_.find(project);
  return found == reserved_.end() ? 0 : found->second;
}

bool StorageQuota::fitsEasily(store::ProjectNo project, int64_t size, int64_t use, int64_t max) const {
  return size <= kSmallFile && size <= max / 2 - use - reserved(project);
}

std::vector<store::CounterLimit> StorageQuota::limits(const snapshot::ProjectSnapshot& project) const {
  const std::optional<int64_t> bytes = max(project);
  return bytes ? limits(project.info().number, *bytes) : std::vector<store::CounterLimit>();
}

// Never below 0, so that a wrong counter does not admit more uploads.
Task<int64_t> StorageQuota::use(store::ProjectNo project) {
  CO_TRY(const int64_t stored, co_await store_.counter(counterOf(project)));
  co_return std::max<int64_t>(stored, 0);
}

Task<int64_t> StorageQuota::sizeOf(store::ProjectNo project, std::string file) {
  CO_TRY(const auto stored, co_await store_.get(inProject(project, kFiles), std::move(file)));
  const auto size = stored ? stored->view().find("size") : std::nullopt;
  co_return size ? size->toInteger().value_or(0) : 0;
}

// A use from before the file was replaced, with the size from after it, could refuse an upload that fits.
Task<StorageQuota::Use> StorageQuota::useWith(store::ProjectNo project, std::string file) {
  Use found;
  CO_TRY(int64_t replaced, co_await sizeOf(project, file));
  for (int read = 0; read < kMaxReads; ++read) {
    found.replaced = replaced;
    CO_TRY(found.bytes, co_await use(project));
    CO_TRY(replaced, co_await sizeOf(project, file));
    if (replaced == found.replaced) break;
  }
  co_return found;
}

Error StorageQuota::exceeded(const snapshot::ProjectSnapshot& project, int64_t use) const {
  return plans::exceeded(project.get(plan_), plans::Limit::storageBytes, max(project).value_or(0), use);
}

Async<Error> StorageQuota::explained(const snapshot::ProjectSnapshot& project, Error error) {
  const Violation* violation = error.violation();
  if (violation == nullptr || violation->kind != Violation::Kind::limit || !max(project)) co_return error;
  const Result<int64_t> now = co_await use(project.info().number);
  if (!now) co_return now.error().clone();
  co_return exceeded(project, *now + reserved(project.info().number));
}

Task<> UploadReservation::coverDeclared(int64_t size) {
  const store::ProjectNo project = project_->info().number;
  CO_TRY(const int64_t use, co_await quota_.use(project));
  if (!quota_.fitsEasily(project, size, use, max_)) co_return co_await cover(size);
  covered_ = size;
  co_return Result<>();
}

// The size of the replaced file is read once, and again before a refusal.
Task<> UploadReservation::cover(int64_t size) {
  if (size <= covered_) co_return Result<>();
  const store::ProjectNo project = project_->info().number;
  bool fits = false;
  if (use_) {
    CO_TRY(use_->bytes, co_await quota_.use(project));
    fits = permit_.raise(size - use_->replaced, use_->bytes, max_);
  }
  if (!fits) {
    CO_TRY(use_, co_await quota_.useWith(project, file_));
    fits = permit_.raise(size - use_->replaced, use_->bytes, max_);
  }
  if (!fits) {
    co_return fail(quota_.exceeded(*project_, use_->bytes + quota_.reserved(project) - permit_.bytes()));
  }
  covered_ = size;
  co_return Result<>();
}

}  // namespace mb::storage
