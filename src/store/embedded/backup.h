// A StoreImage is a checkpoint of the store, opened for reading. Backups are made from one, and a running server is
// checked on one, so that no snapshot of the store in use is held for long.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "store/embedded/embedded_store.h"

namespace mb::store {

class StoreImage final : public Image {
 public:
  // `directory` is the result of EmbeddedStore::checkpoint, or the `store` of a data directory that no server uses;
  // nothing is written there. Fails with a complete message.
  static Result<std::unique_ptr<StoreImage>> open(const std::filesystem::path& directory);
  ~StoreImage() override;

  StoreNumbers numbers() const override;
  std::vector<ProjectNo> projects() const override;
  ProjectNumbers numbersOf(ProjectNo project) const override;
  std::vector<CollectionInfo> collections(ProjectNo project) const override;
  Result<CollectionStats> stats(ProjectNo project, CollectionNo collection) const override;
  Result<std::optional<doc::Document>> get(ProjectNo project, CollectionNo collection,
                                           std::string_view id) const override;
  Result<> each(ProjectNo project, CollectionNo collection, const Visit& visit) const override;
  Result<> eachBy(ProjectNo project, CollectionNo collection, std::string_view index,
                  const Visit& visit) const override;
  Result<> eachChange(ProjectNo project, const VisitChange& visit) const override;
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) const override;
  // The scan of EmbeddedStore::check. Fails with unavailable when it is stopped. Blocks.
  Result<CheckReport> check(Progress& progress) const;

 private:
  struct Impl;
  explicit StoreImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::store
