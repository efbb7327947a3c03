// A StoreImage is a checkpoint of the store, opened for reading. Backups are made from one, and a running server is
// checked on one, so that no snapshot of the store in use is held for long.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "store/embedded/embedded_store.h"

namespace mb::store {

class StoreImage {
 public:
  // `directory` is the result of EmbeddedStore::checkpoint, or the `store` of a data directory that no server uses;
  // nothing is written there. Fails with a complete message.
  static Result<std::unique_ptr<StoreImage>> open(const std::filesystem::path& directory);
  ~StoreImage();

  // The projects that are not dropped, the control plane's first.
  std::vector<ProjectNo> projects() const;
  // System collections, then users', by number.
  std::vector<CollectionInfo> collections(ProjectNo project) const;
  CollectionStats stats(ProjectNo project, CollectionNo collection) const;
  Result<std::optional<doc::Document>> get(ProjectNo project, CollectionNo collection, std::string_view id) const;
  // Calls `visit` with each document, ascending id, until it fails. Blocks.
  using Visit = std::function<Result<>(doc::DocumentView)>;
  Result<> each(ProjectNo project, CollectionNo collection, const Visit& visit) const;
  // The same in the order of an index: a document is visited once per entry, and not if it has no entry. Fails with
  // notFound for an unknown index.
  Result<> eachBy(ProjectNo project, CollectionNo collection, std::string_view index, const Visit& visit) const;
  // EmbeddedStore::chainHead.
  Result<ChainHead> chainHead(ProjectNo project, CollectionNo collection) const;
  // The scan of EmbeddedStore::check. Fails with unavailable when it is stopped. Blocks.
  Result<CheckReport> check(Progress& progress) const;

 private:
  struct Impl;
  explicit StoreImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::store
