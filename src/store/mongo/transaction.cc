#include "store/mongo/transaction.h"

#include "document/fields.h"
namespace mb::store::mongo {

Outcome<> Transaction::each(const std::string& database, std::string_view collection, doc::DocumentView command,
                            const std::function<void(doc::DocumentView)>& visit) {
  return eachDocument([&](doc::DocumentView each) { return run(database, each); }, collection, command,
                      [&](doc::DocumentView document) {
                        visit(document);
                        return true;
                      });
}

Outcome<> Transaction::inParts(const std::string& database, std::span<const doc::Document> all, uint64_t* matched,
                               const std::function<doc::Document(std::span<const doc::Document>)>& command) {
  size_t from = 0;
  while (from < all.size()) {
    size_t to = from;
    size_t bytes = 0;
    while (to < all.size() && to - from < kCommandStatements &&
           (to == from || bytes + all[to].size() <= kCommandBytes)) {
      bytes += all[to++].size();
    }
    auto done = run(database, command(all.subspan(from, to - from)));
    if (!done) {
      CommandError error = std::move(done).error();
      if (error.statement) *error.statement += from;
      return std::unexpected(std::move(error));
    }
    if (matched != nullptr) *matched += static_cast<uint64_t>(doc::integerOr(done->view(), "n"));
    from = to;
  }
  return {};
}

Outcome<> Transaction::update(const std::string& database, std::string_view collection,
                              std::span<const doc::Document> statements, uint64_t* matched) {
  return inParts(database, statements, matched, [&](std::span<const doc::Document> part) {
    return statementsCommand("update", collection, "updates", part);
  });
}

Outcome<> Transaction::remove(const std::string& database, std::string_view collection,
                              std::span<const doc::Document> statements) {
  return inParts(database, statements, nullptr, [&](std::span<const doc::Document> part) {
    return statementsCommand("delete", collection, "deletes", part);
  });
}

Outcome<> Transaction::insert(const std::string& database, std::string_view collection,
                              std::span<const doc::Document> documents) {
  return inParts(database, documents, nullptr,
                 [&](std::span<const doc::Document> part) { return insertCommand(collection, part); });
}

}  // namespace mb::store::mongo
