// An engine behind a pipe, for the differential test: BSON messages on standard input, one BSON reply to each on
// standard output. differential_driver FOLDER: the embedded engine; differential_driver mongodb://…: the one on
// MongoDB. handle() lists the messages and replies.
#include <cstdio>
#include <filesystem>

#include "base/async_condition.h"
#include "document/update.h"
#include "store/embedded/embedded_store.h"
#include "store/mongo/mongo_store.h"
#include "store/mongo/names.h"
#include "store/mongo/pushed_filter.h"
#include "store/mongo/uri.h"
#include "store/testing/running.h"
#include "store/testing/writing.h"

namespace mb::store {

namespace {

Deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(30);
}

WriteOptions writeOptions() {
  WriteOptions options;
  options.deadline = soon();
  options.actor = {ActorKind::server, "differential"};
  return options;
}

std::string textOf(const Error& error) {
  return error.cause().empty() ? error.message() : error.message() + ": " + error.cause();
}

doc::DocumentView documentAt(doc::DocumentView message, std::string_view key) {
  const auto value = message.find(key);
  return value && value->isContainer() ? value->asDocument() : doc::DocumentView();
}

std::vector<SortKey> sortOf(doc::DocumentView source) {
  std::vector<SortKey> keys;
  for (const doc::Element& element : source) {
    keys.push_back({std::string(element.key), static_cast<int>(element.value.asInteger())});
  }
  return keys;
}

IndexSpec specOf(doc::DocumentView source) {
  IndexSpec spec;
  for (const SortKey& key : sortOf(documentAt(source, "keys"))) spec.keys.push_back({key.path, key.direction});
  spec.name = defaultIndexName(spec.keys);
  spec.unique = source.find("unique").has_value();
  spec.sparse = source.find("sparse").has_value();
  if (source.find("partialFilter")) spec.partialFilter = doc::Document(documentAt(source, "partialFilter"));
  for (const doc::Element& path : documentAt(source, "include")) spec.include.emplace_back(path.value.asString());
  return spec;
}

// Two collections with the same documents: without and with indexes.
class Session {
 public:
  Session(DocumentStore& store, ProjectNo project) : store_(store), project_(project) {}

  // {begin: {documents: [...], indexes: [{keys, unique?, sparse?, partialFilter?, include?}]}} -> {indexes: [name or
  // ""]} {find: [{filter, sort?, skip?, limit?}]} ->
  //   {results: [{filterError} or {plain: [id] or plainError, plainCount, indexed: [id] or indexedError, index,
  //   indexedCount}]}, a count being a number or an error
  // {update: [{id, update, filter?, arrayFilters?}]} -> {results: [{error} or {unmatched} or {document}]}
  // {put: [document]} -> {}
  // {push: [filter]} -> {results: [{filterError} or {filter, exact}]}: what the engine on MongoDB sends of each filter
  // {store: [document]} -> {stored: [document]}: the documents as that engine stores them
  Task<doc::Document> handle(doc::Document message) {
    doc::BsonWriter answer;
    if (const auto begin = message.view().find("begin"))
      CO_RETURN_IF_ERROR(co_await this->begin(begin->asDocument(), answer));
    if (const auto put = message.view().find("put")) CO_RETURN_IF_ERROR(co_await this->put(put->asDocument()));
    if (message.view().find("find")) CO_RETURN_IF_ERROR(co_await find(documentAt(message, "find"), answer));
    if (message.view().find("update")) CO_RETURN_IF_ERROR(co_await update(documentAt(message, "update"), answer));
    if (message.view().find("push")) push(documentAt(message, "push"), answer);
    if (message.view().find("store")) storeAll(documentAt(message, "store"), answer);
    co_return answer.finish();
  }

 private:
  Task<> begin(doc::DocumentView source, doc::BsonWriter& answer) {
    for (CollectionRef* collection : {&plain_, &indexed_}) {
      if (collection->number != 0) CO_RETURN_IF_ERROR(co_await store_.dropCollection(*collection, {}));
    }
    CO_TRY(plain_, co_await create("plain"));
    CO_TRY(indexed_, co_await create("indexed"));
    CO_RETURN_IF_ERROR(co_await put(documentAt(source, "documents")));
    answer.beginArray("indexes");
    size_t index = 0;
    for (const doc::Element& element : documentAt(source, "indexes")) {
      const auto made = co_await store_.createIndex(indexed_, specOf(element.value.asDocument()), {});
      answer.appendString(doc::arrayKey(index++), made ? made->spec.name : "");
      CO_RETURN_IF_ERROR(co_await refresh());
    }
    answer.end();
    co_return Result<>();
  }

  Task<CollectionRef> create(std::string name) {
    CO_TRY(const CollectionInfo info, co_await store_.createCollection(project_, std::move(name), {}, {}));
    co_return CollectionRef{project_, info.number, info.version};
  }

  Task<> refresh() {
    CO_TRY(const auto collections, co_await store_.collections(project_));
    for (const CollectionInfo& info : collections) {
      if (info.number == indexed_.number) indexed_.version = info.version;
    }
    co_return Result<>();
  }

  Task<> put(doc::DocumentView documents) {
    std::vector<doc::Document> all;
    for (const doc::Element& element : documents) all.emplace_back(element.value.asDocument());
    if (all.empty()) co_return Result<>();
    for (const CollectionRef& collection : {plain_, indexed_}) {
      CO_RETURN_IF_ERROR(co_await testing::putAll(store_, collection, all, writeOptions()));
    }
    co_return Result<>();
  }

  Task<> find(doc::DocumentView queries, doc::BsonWriter& answer) {
    answer.beginArray("results");
    size_t index = 0;
    for (const doc::Element& element : queries) {
      answer.beginDocument(doc::arrayKey(index++));
      CO_RETURN_IF_ERROR(co_await findOne(element.value.asDocument(), answer));
      answer.end();
    }
    answer.end();
    co_return Result<>();
  }

  Task<> findOne(doc::DocumentView source, doc::BsonWriter& answer) {
    auto filter = doc::Filter::parse(documentAt(source, "filter"));
    if (!filter) {
      answer.appendString("filterError", filter.error().message());
      co_return Result<>();
    }
    for (const auto& [name, collection] : {std::pair{"plain", plain_}, std::pair{"indexed", indexed_}}) {
      Query query;
      query.collection = collection;
      query.filter = *filter;
      query.limit = 1000;
      query.sort = sortOf(documentAt(source, "sort"));
      if (const auto skip = source.find("skip")) query.skip = static_cast<uint64_t>(skip->asInteger());
      if (const auto limit = source.find("limit")) query.limit = static_cast<uint64_t>(limit->asInteger());
      query.deadline = soon();
      const auto found = co_await store_.find(std::move(query));
      if (found) {
        answer.beginArray(name);
        size_t position = 0;
        for (const doc::Document& document : found->documents) {
          answer.appendString(doc::arrayKey(position++), document.view().stringOr("id"));
        }
        answer.end();
        if (collection.number == indexed_.number) answer.appendString("index", found->explain.index);
      } else {
        answer.appendString(std::string(name) + "Error", textOf(found.error()));
      }
      const auto count = co_await store_.count(collection, *filter, soon());
      if (count) {
        answer.appendInteger(std::string(name) + "Count", static_cast<int64_t>(*count));
      } else {
        answer.appendString(std::string(name) + "Count", textOf(count.error()));
      }
    }
    co_return Result<>();
  }

  // All at once, as each is of another document: an engine may commit them together.
  Task<> update(doc::DocumentView updates, doc::BsonWriter& answer) {
    std::vector<Result<doc::Document>> results;
    for (const doc::Element& _ : updates) results.emplace_back(doc::Document());
    size_t running = results.size();
    AsyncCondition ended;
    const Executor executor = co_await asio::this_coro::executor;
    size_t index = 0;
    for (const doc::Element& element : updates) {
      asio::co_spawn(executor, updateOne(element.value.asDocument()),
                     [&, at = index++](const std::exception_ptr& error, Result<doc::Document> result) {
                       results[at] = error ? fail(ErrorCode::internal, "an update threw") : std::move(result);
                       --running;
                       ended.notifyAll();
                     });
    }
    while (!co_await ended.waitUntil(soon(), [&] { return running == 0; })) continue;
    answer.beginArray("results");
    for (size_t i = 0; i < results.size(); ++i) {
      CO_TRY(const doc::Document result, std::move(results[i]));
      answer.appendDocument(doc::arrayKey(i), result);
    }
    answer.end();
    co_return Result<>();
  }

  Task<doc::Document> updateOne(doc::DocumentView source) {
    doc::BsonWriter answer;
    const auto parsed = parseUpdate(source);
    if (!parsed) {
      answer.appendString("error", parsed.error().message());
      co_return answer.finish();
    }
    std::optional<doc::Document> after;
    const std::string id(source.stringOr("id"));
    // The indexed collection first: its unique index may refuse a document that the plain one accepts.
    for (const CollectionRef& collection : {indexed_, plain_}) {
      Write write(writeOptions());
      const Target target = write.change(collection, id);
      auto written = co_await writeReturning(
          store_, std::move(write),
          [&request = std::as_const(*parsed), target](const PreImages& before,
                                                      Changes& changes) -> Result<std::optional<doc::Document>> {
            std::optional<doc::Document> updated;
            if (!request.first.matches(*before[target])) return updated;
            TRY(updated, request.second.apply(*before[target], Timestamp{0}));
            changes.put(target, *updated);
            return updated;
          });
      if (!written) {
        const Violation* violation = written.error().violation();
        answer.appendString("error", violation ? "a unique index: " + violation->name : written.error().message());
        co_return answer.finish();
      }
      after = *std::move(written);
    }
    if (after) {
      answer.appendDocument("document", *after);
    } else {
      answer.appendBool("unmatched", true);
    }
    co_return answer.finish();
  }

  static Result<std::pair<doc::Filter, doc::Update>> parseUpdate(doc::DocumentView source) {
    TRY(doc::Filter query, doc::Filter::parse(documentAt(source, "filter")));
    doc::UpdateOptions options;
    options.positional = true;
    options.query = &query;
    if (source.find("arrayFilters")) {
      TRY(options.arrayFilters, doc::parseArrayFilters(documentAt(source, "arrayFilters")));
    }
    TRY(doc::Update update, doc::Update::parse(documentAt(source, "update"), options));
    return std::pair{std::move(query), std::move(update)};
  }

  void push(doc::DocumentView filters, doc::BsonWriter& answer) const {
    answer.beginArray("results");
    size_t index = 0;
    for (const doc::Element& element : filters) {
      answer.beginDocument(doc::arrayKey(index++));
      if (const auto filter = doc::Filter::parse(element.value.asDocument())) {
        const mongo::PushedFilter pushed = mongo::pushFilter(plain_, *filter);
        answer.appendDocument("filter", pushed.document);
        answer.appendBool("exact", pushed.exact);
      } else {
        answer.appendString("filterError", filter.error().message());
      }
      answer.end();
    }
    answer.end();
  }

  void storeAll(doc::DocumentView documents, doc::BsonWriter& answer) const {
    answer.beginArray("stored");
    size_t index = 0;
    for (const doc::Element& element : documents) {
      const doc::DocumentView document = element.value.asDocument();
      const DocumentVersion version = index + 1;
      answer.appendDocument(doc::arrayKey(index++),
                            mongo::stored(project_, plain_.number, document.stringOr("id"), document, version));
    }
    answer.end();
  }

  DocumentStore& store_;
  ProjectNo project_;
  CollectionRef plain_;
  CollectionRef indexed_;
};

// Reads the next message; nullopt at the end of the input.
std::optional<doc::Document> readMessage() {
  std::array<char, 4> head;
  if (std::fread(head.data(), 1, head.size(), stdin) != head.size()) return std::nullopt;
  int32_t length = 0;
  std::memcpy(&length, head.data(), sizeof length);
  if (length < 5 || length > (64 << 20)) return std::nullopt;
  std::string bytes(static_cast<size_t>(length), '\0');
  std::ranges::copy(head, bytes.begin());
  if (std::fread(bytes.data() + head.size(), 1, bytes.size() - head.size(), stdin) != bytes.size() - head.size()) {
    return std::nullopt;
  }
  auto message = doc::Document::fromUntrusted(std::move(bytes));
  if (!message) return std::nullopt;
  return *std::move(message);
}

Result<std::unique_ptr<MainStore>> open(std::string_view place, Cores& cores, const Clock& clock) {
  if (!place.starts_with("mongodb://")) {
    EmbeddedSettings settings;
    settings.minFreeDiskBytes = 0;
    return EmbeddedStore::open(std::filesystem::path(place), settings, cores, {}, clock);
  }
  TRY(const MongoUri uri, parseMongoUri(place));
  return MongoStore::open({.uri = uri.uri, .prefix = uri.prefix, .threads = 4}, {}, clock);
}

int serve(std::string_view place) {
  SystemClock clock;
  Cores cores(1);
  cores.start();
  int code = 0;
  {
    auto opened = open(place, cores, clock);
    if (!opened) {
      std::fprintf(stderr, "%s %s\n", opened.error().message().c_str(), opened.error().cause().c_str());
      cores.stop();
      cores.join();
      return 1;
    }
    MainStore& store = **opened;
    Session session(store, testing::runOn(cores, 0, store.allocateProject()).value());
    while (auto message = readMessage()) {
      const auto answer = testing::runOn(cores, 0, session.handle(*std::move(message)));
      if (!answer) {
        std::fprintf(stderr, "%s %s\n", answer.error().message().c_str(), answer.error().cause().c_str());
        code = 1;
        break;
      }
      std::fwrite(answer->bytes().data(), 1, answer->bytes().size(), stdout);
      std::fflush(stdout);
    }
  }
  cores.stop();
  cores.join();
  return code;
}

}  // namespace

}  // namespace mb::store

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: differential_driver FOLDER|mongodb://...\n");
    return 2;
  }
  return mb::store::serve(argv[1]);
}
