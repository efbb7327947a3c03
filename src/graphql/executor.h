// An Executor runs a planned operation (October 2021 specification, 6): root fields through data/'s read path and write
// path, relations of all documents a level at a time, then the response.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/fair_pool.h"
#include "data/documents.h"
#include "graphql/language/selections.h"
#include "graphql/response_writer.h"
#include "graphql/search.h"

namespace mb::graphql {

// The limit of all documents together that one request holds.
inline constexpr size_t kMaxDocumentBytes = 16 << 20;

class Executor {
 public:
  // All references outlive this. `search` may be null if no field of the schema searches. Large responses are written
  // on `pool`: if it is full, a query fails with unavailable, and a mutation is written on its core.
  Executor(const Schema& schema, data::Documents& documents, Search* search, FairPool& pool, const data::Access& access,
           const Arguments& arguments)
      : schema_(schema), documents_(documents), search_(search), pool_(pool), access_(access), arguments_(arguments) {}

  // Appends the value of `data`. Adds problems of fields to problems(). Fails with payloadTooLarge.
  Task<> run(const std::vector<Planned>& fields, OperationKind kind, std::string& out);
  Problems& problems() { return problems_; }

 private:
  // The result of a root field.
  struct Root {
    std::vector<doc::Document> documents;
    bool found = false;                // the document exists; for a list: it was read
    std::optional<std::string> plain;  // JSON of a result that is not a document
  };
  // A document that may have relations, and the field that selected it.
  struct Parent {
    const Planned* field;
    doc::DocumentView document;
  };
  // A reference in a document that outlives it.
  struct Reference {
    const Planned* field;
    std::string_view id;
    auto operator<=>(const Reference&) const = default;
  };

  // For a mutation, called with one field at a time.
  Task<> runQuery(std::span<const Planned> fields, OperationKind kind, std::string& out);
  Task<> runMutation(const std::vector<Planned>& fields, std::string& out);
  // A failure becomes a problem of the field, not an error of the request.
  Task<Root> fetch(const Planned& field);
  Task<Root> read(const Planned& field);
  Task<Root> readPage(const Planned& field);
  Task<Root> readOne(const Planned& field);
  Task<Root> countAll(const Planned& field);
  Task<Root> searchFor(const Planned& field);
  Task<Root> write(const Planned& field);
  Task<Root> describe(const Planned& field);
  Result<data::DocumentQuery> queryOf(const Planned& field) const;
  Result<Root> visible(data::VisibleDocuments found);
  Result<Root> changed(data::VisibleDocument document);
  Result<> hold(size_t bytes);
  static Error responseTooLarge();

  // Approximate bytes of documents that are written; not exact above kInlineBytes.
  size_t workOf(const Planned& field, const Root& root) const;
  void addWork(const Planned& parent, const doc::Document& document, size_t& work) const;
  Result<> write(std::span<const Planned> fields, const std::vector<Root>& roots, std::string& out);
  // Runs `step`, which processes `work` bytes of documents and returns a Result, on the core or on `pool_`.
  template <class F>
  Task<> runSized(size_t work, OperationKind kind, F step);
  Task<> relate(std::vector<Parent> level, OperationKind kind);
  // The distinct references of a level, and the ids of those that were not loaded, by collection.
  std::vector<Reference> referencesOf(const std::vector<Parent>& level) const;
  std::map<std::string_view, std::vector<std::string>> unloadedIds(const std::vector<Reference>& references) const;
  Task<> load(const std::string& collection, std::vector<std::string> ids);
  void append(std::string& out, const Planned& field, const Root& root);
  // An argument; nullopt if it is absent or null.
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
