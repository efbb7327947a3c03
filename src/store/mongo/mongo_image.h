// What a database holds, read page by page (store/image.h).
#pragma once

#include "store/image.h"
#include "store/mongo/project_states.h"

namespace mb::store::mongo {

class MongoImage final : public Image {
 public:
  // Reads the heads, the catalogue and the counts; later calls read documents. With `atOneMoment` all reads are those
  // of one moment, which the database keeps for five minutes unless it is set otherwise; they fail with unavailable
  // after that.
  static Result<std::unique_ptr<MongoImage>> open(const std::string& uri, const Names& names,
                                                  std::vector<SystemCollection> system, bool atOneMoment);

  StoreNumbers numbers() const override { return numbers_; }
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

 private:
  MongoImage(const std::string& uri, Names names, std::vector<SystemCollection> system);
  Result<> load(bool atOneMoment);
  Result<> loadHeads();
  Result<> loadCatalogue();
  Result<> loadCounts();
  Result<> loadNumbers();
  // Runs a find with the filter and the sort that the functions append.
  using Append = std::function<void(doc::BsonWriter&)>;
  Result<doc::Document> read(const std::string& database, doc::DocumentView command) const;
  void appendConcern(doc::BsonWriter& out) const;
  Result<doc::Document> page(const std::string& database, std::string_view collection, const Append& filter,
                             std::string_view sort) const;
  // All documents of a collection of the shared database, in the order of their `_id`, which is of any type.
  Result<> eachRow(std::string_view rows, const std::function<void(doc::DocumentView)>& visit) const;

  const Names names_;
  const ProjectStates states_;  // for the declarations of system collections
  mutable Connection connection_;
  std::optional<doc::Value> moment_;  // of all reads, in the server's time
  StoreNumbers numbers_;
  std::map<ProjectNo, Head> heads_;  // without dropped projects
  std::map<std::pair<ProjectNo, CollectionNo>, CollectionInfo> catalogue_;
  std::map<std::pair<ProjectNo, CollectionNo>, CollectionStats> counts_;
};

}  // namespace mb::store::mongo
