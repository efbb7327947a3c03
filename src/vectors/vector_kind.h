// Vector configs as part of the project configuration. Vectors and embeddings are data, and are never included.
#pragma once

#include "configuration/listed_kind.h"
#include "vectors/vectors.h"

namespace mb::vectors {

class VectorKind final : public configuration::ListedKind {
 public:
  explicit VectorKind(Vectors& vectors) : vectors_(vectors) {}

  std::string_view section() const override { return "vectors"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& existing,
                                                 configuration::Problems& problems) override;

 private:
  policy::RequiredPermission permission() const override { return "collections:manage"; }
  Task<> applyOne(configuration::Target target, configuration::Change change) override;
  Vectors& vectors_;
};

}  // namespace mb::vectors
