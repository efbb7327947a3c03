#include "vectors/vector_kind.h"

#include "store/configuration_limits.h"

namespace mb::vectors {

VectorKind::VectorKind(Vectors& vectors)
    : NamedKind({.section = "vectors",
                 .permission = "collections:manage",
                 .name = &CollectionConfigView::collection,
                 .fold = configuration::UniqueNameSet::exact,
                 .limit = store::kMaxVectorConfigs,
                 .plural = store::kVectorConfigs,
                 .texts = {.twice = "is a duplicate: remove it", .tooMany = "would make more than"}}),
      vectors_(vectors) {}

std::vector<CollectionConfigView> VectorKind::stored(const snapshot::ProjectSnapshot& project) const {
  return vectors_.list(project);
}

std::vector<ErrorDetail> VectorKind::problemsIn(const CollectionConfigView& config) const {
  return problemsOf({config.fields}, vectors_.embeds());
}

void VectorKind::complete(CollectionConfigView& config, const Incoming& incoming) const {
  const std::string& name = config.collection;
  if (vectors_.collections(*incoming.source.project).find(name)) return;
  if (configuration::entryIn(incoming.source.document, "collections", name)) return;
  incoming.problems.add(incoming.pointer + "/collection", "must name a collection of the project or of the document");
}

CollectionConfigView VectorKind::canonical(CollectionConfigView config) const {
  config.fields = vectors::canonical({std::move(config.fields)}).fields;
  return config;
}

Task<> VectorKind::save(configuration::Target target, CollectionConfigView config, bool) {
  co_return co_await vectors_.set({target.caller, target.project}, config.collection, {std::move(config.fields)});
}

}  // namespace mb::vectors
