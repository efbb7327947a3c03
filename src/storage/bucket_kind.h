// Buckets in a project's configuration: names, read access and rules, without files.
#pragma once

#include "configuration/named_kind.h"
#include "storage/buckets.h"

namespace mb::storage {

class BucketKind final : public configuration::NamedKind<NewBucket> {
 public:
  BucketKind(Buckets& buckets, snapshot::SlotKey<data::CollectionTable> collections);

 private:
  std::vector<NewBucket> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const NewBucket& bucket) const override;
  void complete(NewBucket& bucket, const Incoming& incoming) const override;
  NewBucket canonical(NewBucket bucket) const override;
  Task<> save(configuration::Target target, NewBucket bucket, bool exists) override;

  Buckets& buckets_;
  const snapshot::SlotKey<data::CollectionTable> collections_;
};

}  // namespace mb::storage
