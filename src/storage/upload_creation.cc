// The commit that creates an upload, and the limit of the plan in it.
#include <algorithm>

#include "storage/file_writes.h"
#include "storage/storage_rules.h"
#include "storage/uploads.h"
#include "store/records.h"

namespace mb::storage {

namespace {
constexpr auto kCreateLimit = std::chrono::seconds(30);
constexpr int64_t kLargestLimit = int64_t{1} << 62;  // so that sums with lengths do not overflow
}  // namespace

// The upload counts in addition to the file that it replaces, so that unfinished uploads to one path are limited too.
// At its end it gives that file's bytes back, so that much may be passed until then. An upload that is no larger than
// the file is also accepted where the project has more than its plan allows, since the files do not grow; what may be
// unfinished at once is limited by what they have now.
Task<Uploads::Admission> Uploads::admit(const Access& access, const UploadRecord& upload) {
  Admission admission;
  const std::optional<int64_t> max = deps_.quota.max(*access.project);
  if (!max || !upload.reserved) co_return admission;
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(const StorageQuota::Use use, co_await deps_.quota.useWith(project, fileKey(upload.bucket, upload.path)));
  admission.replaced = use.replaced;
  int64_t highest = std::min(*max, kLargestLimit);
  if (use.bytes > highest && upload.length <= use.replaced) {
    CO_TRY(const StoredRecord files, co_await deps_.files.stored(project));
    highest = std::max(highest, files.bytes);
  }
  highest += std::min(use.replaced, upload.length);
  StorageQuota::Permit permit(deps_.quota, project);
  if (!permit.raise(upload.length, use.bytes, highest)) {
    co_return fail(deps_.quota.exceeded(*access.project, use.bytes + deps_.quota.reserved(project)));
  }
  admission.limits = StorageQuota::limits(project, highest);
  co_return admission;
}

Task<> Uploads::insert(const Access& access, const UploadRecord& upload) {
  const store::ProjectNo project = access.project->info().number;
  CO_TRY(Admission admission, co_await admit(access, upload));
  CO_TRY(store::Insert job, expiry(project, upload));
  store::Write write({.deadline = std::chrono::steady_clock::now() + kCreateLimit,
                      .actor = access.actor(),
                      .bumpEpochs = {},
                      .limits = std::move(admission.limits)});
  const store::Target row = write.create(inProject(project, kUploads), upload.id);
  // The limit is higher by the file that is replaced, so the file must be there in the commit.
  std::optional<store::Target> file;
  if (admission.replaced > 0) file = write.hold(inProject(project, kFiles), fileKey(upload.bucket, upload.path));
  write.insert(std::move(job));
  const auto written = co_await deps_.store.write(
      std::move(write),
      [row, file, replaced = admission.replaced, &upload = std::as_const(upload)](const store::PreImages& before,
                                                                                  store::Changes& changes) -> Result<> {
        if (file) {
          TRY(const std::optional<FileRecord> now, store::fromStore<FileRecord>(before[*file]));
          if (!now || now->size != replaced) return fail(ErrorCode::retry, "the file was changed concurrently");
        }
        changes.put(row, doc::encode(upload));
        return {};
      });
  if (!written) co_return fail(co_await deps_.quota.explained(*access.project, written.error().clone()));
  co_return Result<>();
}

}  // namespace mb::storage
