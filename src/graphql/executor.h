// Runs a planned operation: root fields through data/'s one read path and one write path, relations of all documents a
// level at a time, then the answer. Source: October 2021 specification, 6; decisions 8 (which rule reads).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/fair_pool.h"
#include "data/documents.h"
#include "graphql/answer_writer.h"
#include "graphql/language/selections.h"
#include "graphql/search.h"

namespace mb::graphql {

// What one request holds of documents at most, all together.
inline constexpr size_t kMaxDocumentBytes = 16 << 20;

class Executor {
 public:
  // All references outlive this. `search` may be null where no field of the schema searches. Large responses are
  // written on `pool`: where it is full a query fails with unavailable, and a mutation is written on its core.
  Executor(const Schema& schema, data::Documents& documents, Search* search, FairPool& pool, const data::Access& access,
           const Arguments& arguments)
      : schema_(schema), documents_(documents), search_(search), pool_(pool), access_(access), arguments_(arguments) {}

  // Appends the value of `data`. Problems of fields go into problems(). Fails with payloadTooLarge.
  Task<> run(const std::vector<Planned>& fields, OperationKind kind, std::string& out);
  Problems& problems() { return problems_; }

 private:
  // What a root field gave.
  struct Root {
    std::vector<doc::Document> documents;
    bool found = false;                // of a single document; of a list: it could be read
    std::optional<std::string> plain;  // of what is no document: its JSON
  };
  // A document below which relations may stand, and what showed it.
  struct Parent {
    const Planned* field;
    doc::DocumentView document;
  };
  // A reference in a document that stays.
  struct Reference {
    const Planned* field;
    std::string_view id;
    auto operator<=>(const Reference&) const = default;
  };

  // Of a mutation: one field of it.
  Task<> runQuery(std::span<const Planned> fields, OperationKind kind, std::string& out);
  Task<> runMutation(const std::vector<Planned>& fields, std::string& out);
  // The failure of one is a problem, not an error.
  Task<Root> fetch(const Planned& field);
  Task<Root> read(const Planned& field);
  Task<Root> readOne(const Planned& field);
  Task<Root> countAll(const Planned& field);
  Task<Root> searchFor(const Planned& field);
  Task<Root> write(const Planned& field);
  Task<Root> describe(const Planned& field);
  Result<data::ReadQuery> queryOf(const Planned& field) const;
  Result<Root> visible(data::VisibleDocuments found);
  Result<Root> changed(data::VisibleDocument document);
  Result<> hold(size_t bytes);

  // About how many bytes of documents are shown; not exact above kInlineBytes.
  size_t workOf(const Planned& field, const Root& root) const;
  void addWork(const Planned& shown, const doc::Document& document, size_t& work) const;
  Result<> write(std::span<const Planned> fields, const std::vector<Root>& roots, std::string& out);
  // Runs `step`, which goes through `work` bytes of documents and gives a Result, on the core or on `pool_`.
  template <class F>
  Task<> sized(size_t work, OperationKind kind, F step);
  Task<> relate(std::vector<Parent> level, OperationKind kind);
  // The references of a level, each once, and the ids of them that were not loaded, by collection.
  std::vector<Reference> referencesOf(const std::vector<Parent>& level) const;
  std::map<std::string_view, std::vector<std::string>> unloadedIds(const std::vector<Reference>& references) const;
  Task<> load(const std::string& collection, std::vector<std::string> ids);
  void append(std::string& out, const Planned& field, const Root& root);
  // An argument that is there and not null.
  std::optional<doc::ValueView> argumentOf(const Planned& field, std::string_view name) const;
  std::string textOf(const Planned& field, std::string_view name) const;  // "" without one
  Result<uint64_t> countOf(const Planned& field, std::string_view name, uint64_t fallback) const;
  const Type& argumentType(const Planned& field, std::string_view name) const;

  const Schema& schema_;
  data::Documents& documents_;
  Search* search_;
  FairPool& pool_;
  const data::Access& access_;
  const Arguments& arguments_;
  Problems problems_;
  RelatedDocuments related_;
  size_t bytes_ = 0;
};

}  // namespace mb::graphql
