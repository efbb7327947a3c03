#include "app/project_export.h"

#include "data/backed_up_config.h"
#include "data/policy_set_record.h"
#include "events/subscription.h"
#include "identity/records.h"
#include "projects/records.h"
#include "projects/restoring.h"

namespace mb::app {

namespace {

constexpr int64_t kBetweenSigns = 1000;

class Exporter {
 public:
  Exporter(const store::Image& image, const projects::ProjectRecord& record, Progress& progress, const RecordSink& sink)
      : image_(image),
        record_(record),
        number_(static_cast<store::ProjectNo>(record.number)),
        progress_(progress),
        sink_(sink),
        collections_(image.collections(number_)) {}

  Result<StreamEnd> run() {
    for (const auto& collection : collections_) {
      TRY(const store::CollectionStats stats, image_.stats(number_, collection.number));
      total_ += stats.documents;
    }
    TRY(const auto database, image_.get(store::kControlProject, projects::kOwnDatabases, record_.id.str()));
    RETURN_IF_ERROR(sink_("manybase", doc::encode(StreamBegin{database ? kRecordsFormat : kFormatWithoutDatabase})));
    RETURN_IF_ERROR(sink_("project", doc::encode(record_)));
    if (database) RETURN_IF_ERROR(sink_(kDatabaseRecord, *database));
    RETURN_IF_ERROR(members());
    for (const auto& collection : collections_) {
      if (!refersToCollections(collection.number)) RETURN_IF_ERROR(section(collection));
    }
    // Last, as their documents refer to collections, whose new numbers an import knows only then.
    for (const auto& collection : collections_) {
      if (refersToCollections(collection.number)) RETURN_IF_ERROR(section(collection));
    }
    RETURN_IF_ERROR(sink_("end", doc::encode(end_)));
    return end_;
  }

 private:
  Result<> members() {
    const auto ours = [this](doc::DocumentView document) { return document.stringOr("projectId") == record_.id.str(); };
    RETURN_IF_ERROR(
        image_.each(store::kControlProject, projects::kMemberships, [&](doc::DocumentView stored) -> Result<> {
          if (!ours(stored)) return {};
          TRY(const auto membership, projects::fromStore<projects::MembershipRecord>(stored));
          TRY(const auto user, image_.get(store::kControlProject, identity::kUsers, membership.userId.str()));
          // Memberships of a deleted account are skipped.
          if (!user) return {};
          return member({std::string(user->view().stringOr("email")), membership.role, membership.createdAt});
        }));
    return image_.each(store::kControlProject, projects::kInvites, [&](doc::DocumentView stored) -> Result<> {
      if (!ours(stored)) return {};
      TRY(const auto invite, projects::fromStore<projects::InviteRecord>(stored));
      return member({invite.given(), invite.role, invite.createdAt});
    });
  }

  Result<> member(const projects::BackedUpMember& member) { return sink_("member", doc::encode(member)); }

  Result<> section(const store::CollectionInfo& collection) {
    if (collection.number < store::kFirstUserCollection) {
      TRY(const store::ChainHead head, image_.chainHead(number_, collection.number));
      // A chain without entries is exported too, so that their removal shows.
      TRY(const store::CollectionStats stats, image_.stats(number_, collection.number));
      if (stats.documents == 0 && head.seq == 0) return {};
      SystemSection section{collection.name, collection.number};
      if (head.seq > 0) section.chain = ChainEnd{static_cast<int64_t>(head.seq), toHex(head.hash)};
      RETURN_IF_ERROR(sink_("system", doc::encode(section)));
    } else {
      ++end_.collections;
      store::CollectionInfo backedUp = collection;
      backedUp.config = data::backedUpConfig(collection.config, collections_);
      RETURN_IF_ERROR(sink_("collection", encodeCollection(backedUp)));
    }
    const store::CollectionNo number = collection.number;
    return image_.each(number_, number, [this, number](doc::DocumentView document) -> Result<> {
      if (end_.documents++ % kBetweenSigns == 0) {
        progress_.at("documents", static_cast<uint64_t>(end_.documents), total_);
        if (progress_.stopped()) return fail(ErrorCode::unavailable, "stopped");
      }
      if (isFollowers(number)) return sink_("document", events::backedUpFollower(document, collections_));
      if (number == data::kPolicySetCollection) {
        return sink_("document", data::backedUpPolicySet(document, collections_));
      }
      return sink_("document", document);
    });
  }

  const store::Image& image_;
  const projects::ProjectRecord& record_;
  const store::ProjectNo number_;
  Progress& progress_;
  const RecordSink& sink_;
  const std::vector<store::CollectionInfo> collections_;
  uint64_t total_ = 0;
  StreamEnd end_;
};

}  // namespace

Result<projects::ProjectRecord> findProject(const store::Image& image, std::string_view idOrSlug) {
  std::optional<projects::ProjectRecord> found;
  RETURN_IF_ERROR(image.each(store::kControlProject, projects::kProjects, [&](doc::DocumentView stored) -> Result<> {
    const bool named = stored.stringOr("id") == idOrSlug || stored.stringOr("slug") == idOrSlug;
    if (!named || stored.stringOr("status") == "deleted") return {};
    TRY(found, projects::fromStore<projects::ProjectRecord>(stored));
    return {};
  }));
  if (!found) return fail(ErrorCode::notFound, fmt::format("there is no project {}", idOrSlug));
  return *std::move(found);
}

Result<int64_t> countProjects(const store::Image& image) {
  int64_t count = 0;
  RETURN_IF_ERROR(image.each(store::kControlProject, projects::kProjects, [&](doc::DocumentView stored) -> Result<> {
    count += stored.stringOr("status") == "deleted" ? 0 : 1;
    return {};
  }));
  return count;
}

Result<StreamEnd> exportProject(const store::Image& image, const projects::ProjectRecord& record, Progress& progress,
                                const RecordSink& sink) {
  return Exporter(image, record, progress, sink).run();
}

}  // namespace mb::app
