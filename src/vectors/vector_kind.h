// Vector configs as part of a project's shape. Vectors and embeddings are data, and never go along.
#pragma once

#include "configuration/resource_kind.h"
#include "vectors/vectors.h"

namespace mb::vectors {

class VectorKind final : public configuration::ResourceKind {
 public:
  explicit VectorKind(Vectors& vectors) : vectors_(vectors) {}

  std::string_view section() const override { return "vectors"; }
  Task<std::vector<configuration::Entry>> entries(snapshot::SnapshotPtr project) override;
  Task<std::vector<configuration::Entry>> merged(Source source, const std::vector<configuration::Entry>& standing,
                                                 configuration::Problems& problems) override;
  std::vector<std::string> permissionsFor(const configuration::Change& change) const override;
  Task<> apply(configuration::Target target, std::vector<configuration::Change> changes) override;

 private:
  Vectors& vectors_;
};

}  // namespace mb::vectors
