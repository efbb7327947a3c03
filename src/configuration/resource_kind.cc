#include "configuration/resource_kind.h"

#include <fmt/format.h>

namespace mb::configuration {

void ResourceKind::append(doc::BsonWriter& out, const std::vector<Entry>& entries) const {
  out.beginArray(section());
  size_t index = 0;
  for (const Entry& entry : entries) out.append(doc::arrayKey(index++), entry.value);
  out.end();
}

Result<> ResourceKind::mayApply(const Target&, const Change&) const {
  return {};
}

Result<> ResourceKind::draft(ProjectDraft&, const std::vector<Change>&) const {
  return {};
}

Task<std::vector<ErrorDetail>> ResourceKind::failingTests(snapshot::SnapshotPtr, std::vector<Change>, store::Deadline) {
  co_return std::vector<ErrorDetail>();
}

uint64_t ResourceKind::storedBytes(const snapshot::ProjectSnapshot&, doc::ValueView entry) const {
  constexpr uint64_t kRecordOverhead = 400;  // ids, times, and fields that are not exported
  return entry.raw().size() + kRecordOverhead;
}

bool isEntry(doc::ValueView value, const std::string& pointer, Problems& problems) {
  constexpr size_t kMaxEntry = 2 << 20;
  if (value.type() != doc::BsonType::document) {
    problems.add(pointer, "must be an object");
    return false;
  }
  if (value.raw().size() <= kMaxEntry) return true;
  problems.add(pointer, "is too large");
  return false;
}

Result<> checkTime(const Target& target) {
  if (std::chrono::steady_clock::now() < target.deadline) return {};
  return fail(ErrorCode::unavailable, "the import took too long; its changes so far stay: run it again to continue");
}

Error about(std::string_view thing, const Error& error) {
  std::vector<ErrorDetail> details = error.details();
  Error named(error.code(), fmt::format("{}: {}", thing, error.message()));
  return std::move(named).withDetails(std::move(details)).withCause(error.cause());
}

Async<void> CooperativeYielder::maybeYield() {
  constexpr auto kSlice = std::chrono::milliseconds(5);
  if (std::chrono::steady_clock::now() - since_ < kSlice) co_return;
  co_await asio::post(asio::deferred);
  since_ = std::chrono::steady_clock::now();
}

}  // namespace mb::configuration
