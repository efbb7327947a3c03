#include "projects/records.h"

namespace mb::projects {

doc::Filter liveRoots() {
  doc::BsonWriter out;
  out.beginDocument("status");
  out.beginArray("$in");
  out.appendString("0", "active");
  out.appendString("1", "suspended");
  out.end();
  out.end();
  out.appendNull("parentId");
  return *doc::Filter::parse(out.finish());
}

Result<snapshot::ProjectInfo> infoOf(doc::Document stored) {
  TRY(const ProjectRecord record, fromStore<ProjectRecord>(stored.view()));
  snapshot::ProjectInfo info;
  info.number = static_cast<store::ProjectNo>(record.number);
  info.id = record.id;
  info.slug = record.slug;
  info.name = record.name;
  info.status = record.status == "active"      ? snapshot::ProjectStatus::active
                : record.status == "suspended" ? snapshot::ProjectStatus::suspended
                                               : snapshot::ProjectStatus::deleted;
  info.record = std::move(stored);
  return info;
}

ProjectView viewOf(const ProjectRecord& record, std::string role) {
  return {record.id,       record.slug,        record.name,  record.status, std::move(role),    record.organizationId,
          record.parentId, record.environment, record.color, record.icon,   record.maxFileSize, false,
          record.settings, record.createdAt};
}

Result<> countInvite(store::Target target, const std::string& address, const store::PreImages& before,
                     store::Changes& changes) {
  TRY(std::optional<InvitedAddress> invited, fromStore<InvitedAddress>(before[target]));
  if (!invited) invited = InvitedAddress{address, 0};
  ++invited->revision;
  changes.put(target, doc::encode(*invited));
  return {};
}

}  // namespace mb::projects
