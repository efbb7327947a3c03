// Vector configs as part of the project configuration. Vectors and embeddings are data, and are never included.
#pragma once

#include "configuration/named_kind.h"
#include "vectors/vectors.h"

namespace mb::vectors {

class VectorKind final : public configuration::NamedKind<CollectionConfigView> {
 public:
  explicit VectorKind(Vectors& vectors);

 private:
  std::vector<CollectionConfigView> stored(const snapshot::ProjectSnapshot& project) const override;
  std::vector<ErrorDetail> problemsIn(const CollectionConfigView& config) const override;
  void complete(CollectionConfigView& config, const Incoming& incoming) const override;
  CollectionConfigView canonical(CollectionConfigView config) const override;
  Task<> save(configuration::Target target, CollectionConfigView config, bool exists) override;

  Vectors& vectors_;
};

}  // namespace mb::vectors
