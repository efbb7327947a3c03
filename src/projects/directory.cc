#include "projects/directory.h"

#include "projects/records.h"

namespace mb::projects {

namespace {

constexpr uint64_t kDirectoryPage = 1000;

Result<std::optional<snapshot::ProjectInfo>> liveInfo(doc::Document stored) {
  TRY(snapshot::ProjectInfo info, infoOf(std::move(stored)));
  if (info.status == snapshot::ProjectStatus::deleted) return std::nullopt;
  return info;
}

}  // namespace

Task<std::optional<snapshot::ProjectInfo>> Directory::firstWhere(doc::Filter filter) {
  store::Query query = queryOf(kProjects, std::move(filter), 0, 1);
  CO_TRY(store::QueryResult found, co_await store_.find(std::move(query)));
  if (found.documents.empty()) co_return std::nullopt;
  co_return liveInfo(std::move(found.documents.front()));
}

Task<std::optional<snapshot::ProjectInfo>> Directory::find(std::string idOrSlug) {
  if (!idOrSlug.starts_with(ProjectTag::prefix)) co_return co_await firstWhere(doc::Filter::equals("slug", idOrSlug));
  CO_TRY(std::optional<doc::Document> stored, co_await store_.get(controlCollection(kProjects), std::move(idOrSlug)));
  if (!stored) co_return std::nullopt;
  co_return liveInfo(*std::move(stored));
}

Task<std::optional<snapshot::ProjectInfo>> Directory::byNumber(store::ProjectNo number) {
  doc::BsonWriter out;
  out.appendInteger("", number);
  const doc::Document holder = out.finish();
  co_return co_await firstWhere(doc::Filter::equals("number", holder.view().begin()->value));
}

Task<bool> Directory::isSuspended(store::ProjectNo number) {
  CO_TRY(const std::optional<snapshot::ProjectInfo> info, co_await byNumber(number));
  co_return info && info->status == snapshot::ProjectStatus::suspended;
}

Task<std::optional<snapshot::ProjectInfo>> Directory::onlyOne() {
  store::Query query = queryOf(kProjects, liveRoots(), 0, 2);
  CO_TRY(store::QueryResult found, co_await store_.find(std::move(query)));
  if (found.documents.size() != 1) co_return std::nullopt;
  co_return liveInfo(std::move(found.documents.front()));
}

Task<std::vector<snapshot::ProjectInfo>> Directory::all() {
  std::vector<snapshot::ProjectInfo> projects;
  for (uint64_t skip = 0;; skip += kDirectoryPage) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(kProjects, doc::Filter(), skip, kDirectoryPage)));
    for (const doc::Document& stored : found.documents) {
      CO_TRY(snapshot::ProjectInfo info, infoOf(stored));
      projects.push_back(std::move(info));
    }
    if (found.documents.size() < kDirectoryPage) co_return projects;
  }
}

Task<std::vector<store::ProjectNo>> Directory::numbers() {
  std::vector<store::ProjectNo> numbers;
  for (uint64_t skip = 0;; skip += kDirectoryPage) {
    CO_TRY(const store::QueryResult found,
           co_await store_.find(queryOf(kProjects, doc::Filter(), skip, kDirectoryPage)));
    for (const doc::Document& stored : found.documents) {
      if (stored.view().stringOr("status") == "deleted") continue;
      CO_TRY(const auto record, fromStore<ProjectRecord>(stored.view()));
      numbers.push_back(static_cast<store::ProjectNo>(record.number));
    }
    if (found.documents.size() < kDirectoryPage) co_return numbers;
  }
}

Task<std::shared_ptr<const void>> MemberSource::load(snapshot::ProjectInfo project) {
  auto table = std::make_shared<identity::MemberTable>();
  // Invites are read first: one that becomes a membership between the two reads is then seen as either, never as
  // neither.
  for (uint64_t skip = 0;; skip += kDirectoryPage) {
    store::Query query = queryOf(kInvites, doc::Filter::equals("projectId", project.id.str()), skip, kDirectoryPage);
    CO_TRY(const store::QueryResult found, co_await store_.find(std::move(query)));
    CO_TRY(const std::vector<InviteRecord> invites, fromStore<InviteRecord>(found.documents));
    for (const auto& invite : invites) table->invitedAs.insert(invite.role);
    if (found.documents.size() < kDirectoryPage) break;
  }
  for (uint64_t skip = 0;; skip += kDirectoryPage) {
    store::Query query =
        queryOf(kMemberships, doc::Filter::equals("projectId", project.id.str()), skip, kDirectoryPage);
    CO_TRY(const store::QueryResult found, co_await store_.find(std::move(query)));
    CO_TRY(const std::vector<MembershipRecord> members, fromStore<MembershipRecord>(found.documents));
    for (const auto& member : members) table->byUser[member.userId.str()] = {member.id.str(), member.role};
    if (found.documents.size() < kDirectoryPage) break;
  }
  co_return std::shared_ptr<const void>(std::move(table));
}

Task<std::shared_ptr<const void>> RecordSource::load(snapshot::ProjectInfo project) {
  if (follower_) CO_RETURN_IF_ERROR(co_await follower_(project));
  CO_TRY(ProjectRecord record, fromStore<ProjectRecord>(project.record.view()));
  co_return std::shared_ptr<const void>(std::make_shared<const ProjectRecord>(std::move(record)));
}

}  // namespace mb::projects
