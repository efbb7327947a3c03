// Buckets in a project's configuration: names and read access, without files.
#pragma once

#include "configuration/listed_kind.h"
#include "storage/buckets.h"

namespace mb::storage {

class BucketKind final : public configuration::ListedKind {
 public:
  explicit BucketKind(Buckets& buckets) : buckets_(buckets) {}

  std::string_view section() const override { return "buckets"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& current,
                                                 configuration::Problems& problems) override;

 private:
  policy::RequiredPermission permission() const override { return "storage:manage"; }
  Task<> applyOne(configuration::Target target, configuration::Change change) override;
  Buckets& buckets_;
};

}  // namespace mb::storage
