// Buckets as part of a project's shape: names and who may read. Files never are.
#pragma once

#include "configuration/resource_kind.h"
#include "storage/buckets.h"

namespace mb::storage {

class BucketKind final : public configuration::ResourceKind {
 public:
  explicit BucketKind(Buckets& buckets) : buckets_(buckets) {}

  std::string_view section() const override { return "buckets"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& standing,
                                                 configuration::Problems& problems) override;
  std::vector<std::string> permissionsFor(const configuration::Change& change) const override;
  Task<> apply(configuration::Target target, std::vector<configuration::Change> changes) override;

 private:
  Buckets& buckets_;
};

}  // namespace mb::storage
