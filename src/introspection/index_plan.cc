#include "introspection/index_plan.h"

#include <algorithm>
#include <array>
#include <set>

#include "document/fields.h"
#include "introspection/reading.h"
#include "store/own/reading.h"
#include "store/own/writing.h"

namespace mb::introspection {

namespace {

constexpr size_t kMaxIndexesThere = 64;  // of a collection, the server's own one included
// What a condition on a field may hold (https://www.mongodb.com/docs/manual/core/index-partial/).
constexpr std::array kComparisons = {"$eq", "$gt", "$gte", "$lt", "$lte", "$type", "$in"};

bool isComparison(std::string_view name) {
  return std::ranges::find(kComparisons, name) != kComparisons.end();
}

bool isCondition(doc::ValueView value) {
  if (value.type() != doc::BsonType::document) return true;
  for (const doc::Element& each : value.asDocument()) {
    if (!each.key.starts_with('$')) return true;  // equals a document
    const bool exists = each.key == "$exists" && each.value.type() == doc::BsonType::boolean && each.value.asBool();
    if (!exists && !isComparison(each.key)) return false;
  }
  return true;
}

std::string serverName(const data::NewIndex& index) {
  return std::string(store::own::kIndexPrefix) + index.name.value_or("");
}

std::vector<std::string> pathsOf(const data::NewIndex& index) {
  std::vector<std::string> paths;
  for (const doc::Element& key : index.keys.view()) paths.emplace_back(key.key);
  return paths;
}

std::string_view firstSegment(std::string_view path) {
  return path.substr(0, path.find('.'));
}

doc::Document filterOf(const data::NewIndex& index) {
  return index.partialFilter.value_or(doc::Document());
}

// Servers have directions of several number types.
std::vector<std::pair<std::string_view, std::optional<int64_t>>> directionsOf(doc::DocumentView keys) {
  std::vector<std::pair<std::string_view, std::optional<int64_t>>> directions;
  for (const doc::Element& each : keys) directions.emplace_back(each.key, each.value.toInteger());
  return directions;
}

bool isSame(const data::NewIndex& wanted, const IndexFacts& there) {
  return directionsOf(wanted.keys) == directionsOf(there.keys) && wanted.unique.value_or(false) == there.unique &&
         wanted.sparse.value_or(false) == there.sparse && filterOf(wanted) == there.partialFilter;
}

// {$or: [{<path>: {<op>: <value>}}, …]} of several paths.
void appendAny(doc::BsonWriter& out, std::string_view key, const std::vector<std::string>& paths,
               const std::function<void(doc::BsonWriter&)>& condition) {
  out.beginDocument(key);
  out.beginArray("$or");
  for (size_t i = 0; i < paths.size(); ++i) {
    out.beginDocument(doc::arrayKey(i));
    out.beginDocument(paths[i]);
    condition(out);
    out.end();
    out.end();
  }
  out.end();
  out.end();
}

// The path, and all that lead to it.
std::vector<std::string> prefixesOf(const std::string& path) {
  std::vector<std::string> prefixes;
  for (size_t end = path.find('.'); end != std::string::npos; end = path.find('.', end + 1)) {
    prefixes.push_back(path.substr(0, end));
  }
  prefixes.push_back(path);
  return prefixes;
}

// What lies on the way to the values, each once.
std::set<std::string> objectsOn(const std::vector<std::string>& paths) {
  std::set<std::string> objects;
  for (const std::string& path : paths) {
    std::vector<std::string> prefixes = prefixesOf(path);
    prefixes.pop_back();
    objects.insert(prefixes.begin(), prefixes.end());
  }
  return objects;
}

void appendNoArray(doc::BsonWriter& out, const std::string& path) {
  out.beginDocument(path);
  out.beginDocument("$not");
  out.appendString("$type", "array");
  out.end();
  out.end();
}

class CollectionPlan {
 public:
  CollectionPlan(Source& from, const std::string& source, const PlannedIndexes& planned)
      : from_(from), source_(source), planned_(planned), end_(std::chrono::steady_clock::now() + kIndexPlanTime) {}

  Outcome<std::vector<IndexProblem>> find() {
    auto there = readIndexes(from_, source_);
    if (!there) return std::unexpected(std::move(there).error());
    std::erase_if(*there, [this](const IndexFacts& each) {
      return std::ranges::any_of(planned_.replaced, [&](const std::string& name) {
        return each.name == std::string(store::own::kIndexPrefix) + name;
      });
    });
    if (there->size() + planned_.indexes.size() > kMaxIndexesThere) {
      add(fmt::format("the collection would have more than {} indexes in the database", kMaxIndexesThere));
    }
    for (const data::NewIndex& index : planned_.indexes) {
      if (addOfDefinition(index) || addOfOthers(index, *there)) continue;
      if (auto done = addOfDocuments(index); !done) return std::unexpected(std::move(done).error());
      IndexFacts made{serverName(index), index.keys, index.unique.value_or(false), index.sparse.value_or(false),
                      filterOf(index)};
      there->push_back(std::move(made));
    }
    return std::move(problems_);
  }

 private:
  bool add(std::string message) {
    problems_.push_back({planned_.collection, std::move(message)});
    return true;
  }
  static std::string about(const data::NewIndex& index) {
    return fmt::format("the index \"{}\" cannot be made", index.name.value_or(""));
  }

  // By its definition alone. These return whether there is a problem.
  bool addOfDefinition(const data::NewIndex& index) {
    for (const std::string& path : pathsOf(index)) {
      if (!store::own::checkPath(path)) {
        return add(about(index) + ": \"_id\" belongs to the project's database: use \"id\"");
      }
    }
    if (!index.partialFilter || isPartialFilter(*index.partialFilter)) return false;
    return add(about(index) + ": the database takes no such filter of an index");
  }

  bool addOfOthers(const data::NewIndex& index, const std::vector<IndexFacts>& there) {
    for (const IndexFacts& each : there) {
      const bool same = !each.hasCollation && isSame(index, each);
      if (each.name == serverName(index) && !same) {
        return add(fmt::format("{}: the database has another one of the name {}", about(index), each.name));
      }
      if (each.name != serverName(index) && same) {
        return add(fmt::format("{}: \"{}\" of the database has the same keys", about(index), each.name));
      }
    }
    return false;
  }

  Outcome<> addOfDocuments(const data::NewIndex& index) {
    const std::vector<std::string> paths = pathsOf(index);
    for (size_t i = 0; i < paths.size(); ++i) {
      for (size_t j = i + 1; j < paths.size(); ++j) {
        if (firstSegment(paths[i]) == firstSegment(paths[j])) continue;
        auto found = finds(arraysPipeline(index, paths[i], paths[j]));
        if (!found) return std::unexpected(std::move(found).error());
        if (*found)
          add(fmt::format("{}: a document has arrays at \"{}\" and \"{}\"", about(index), paths[i], paths[j]));
      }
    }
    if (!index.unique.value_or(false)) return {};
    auto found = finds(duplicatesPipeline(index, paths));
    if (!found) return std::unexpected(std::move(found).error());
    if (*found) add(about(index) + ": documents of the collection have the same value");
    return {};
  }

  // Whether the pipeline returns a document; false where it is not known.
  Outcome<bool> finds(const std::function<void(doc::BsonWriter&)>& pipeline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    doc::BsonWriter out;
    out.appendString("aggregate", source_);
    out.beginArray("pipeline");
    pipeline(out);
    out.end();
    out.beginDocument("cursor");
    out.end();
    store::own::appendCollation(out);
    from_.appendTimeLimit(out, left);
    bool found = false;
    auto read = from_.each(source_, out.finish(), [&](doc::DocumentView) {
      found = true;
      return false;
    });
    if (!read && read.error().code < 0) return std::unexpected(std::move(read).error());
    return found;
  }

  // Begins a pipeline: the documents that the index holds, where `more` holds.
  static void appendMatch(doc::BsonWriter& out, const data::NewIndex& index,
                          const std::function<void(doc::BsonWriter&)>& more) {
    out.beginDocument("0");
    out.beginDocument("$match");
    out.beginArray("$and");
    out.appendDocument("0", filterOf(index));
    if (more) more(out);
    out.end();
    out.end();
    out.end();
  }
  static void appendLimit(doc::BsonWriter& out, size_t at) {
    out.beginDocument(doc::arrayKey(at));
    out.appendInt32("$limit", 1);
    out.end();
  }

  static std::function<void(doc::BsonWriter&)> arraysPipeline(const data::NewIndex& index, const std::string& one,
                                                              const std::string& other) {
    return [&index, one, other](doc::BsonWriter& out) {
      const auto isArray = [](doc::BsonWriter& condition) { condition.appendString("$type", "array"); };
      appendMatch(out, index, [&](doc::BsonWriter& match) {
        appendAny(match, "1", prefixesOf(one), isArray);
        appendAny(match, "2", prefixesOf(other), isArray);
      });
      appendLimit(out, 1);
    };
  }

  // Elements of arrays count as values, once for a document; a missing one is null. Of what a path leads to through an
  // array, servers differ in what an aggregation finds: such documents are left out.
  static std::function<void(doc::BsonWriter&)> duplicatesPipeline(const data::NewIndex& index,
                                                                  const std::vector<std::string>& paths) {
    return [&index, &paths](doc::BsonWriter& out) {
      const auto exists = [](doc::BsonWriter& condition) { condition.appendBool("$exists", true); };
      const bool sparse = index.sparse.value_or(false);
      appendMatch(out, index, [&](doc::BsonWriter& match) {
        if (sparse) appendAny(match, "1", paths, exists);
        match.beginDocument("2");
        for (const std::string& each : objectsOn(paths)) appendNoArray(match, each);
        match.end();
      });
      size_t at = 1;
      const auto stage = [&](std::string_view name, const std::function<void()>& content) {
        out.beginDocument(doc::arrayKey(at++));
        out.beginDocument(name);
        content();
        out.end();
        out.end();
      };
      stage("$project", [&] {
        for (size_t i = 0; i < paths.size(); ++i) {
          out.beginDocument(fmt::format("k{}", i));
          out.beginArray("$ifNull");
          out.appendString("0", "$" + paths[i]);
          out.appendNull("1");
          out.end();
          out.end();
        }
      });
      for (size_t i = 0; i < paths.size(); ++i) {
        stage("$unwind", [&] {
          out.appendString("path", fmt::format("$k{}", i));
          out.appendBool("preserveNullAndEmptyArrays", true);
        });
      }
      const auto group = [&](bool ofDocument) {
        stage("$group", [&] {
          out.beginDocument("_id");
          if (ofDocument) out.appendString("d", "$_id");
          for (size_t i = 0; i < paths.size(); ++i) {
            out.appendString(fmt::format("k{}", i), fmt::format(fmt::runtime(ofDocument ? "$k{}" : "$_id.k{}"), i));
          }
          out.end();
          out.beginDocument("n");
          out.appendInt32("$sum", 1);
          out.end();
        });
      };
      group(true);
      group(false);
      stage("$match", [&] {
        out.beginDocument("n");
        out.appendInt32("$gt", 1);
        out.end();
      });
      appendLimit(out, at);
    };
  }

  Source& from_;
  const std::string& source_;
  const PlannedIndexes& planned_;
  const std::chrono::steady_clock::time_point end_;
  std::vector<IndexProblem> problems_;
};

}  // namespace

bool isPartialFilter(doc::DocumentView filter) {
  for (const doc::Element& each : filter) {
    if (each.key != "$and" && each.key != "$or") {
      if (each.key.starts_with('$') || !isCondition(each.value)) return false;
      continue;
    }
    if (!each.value.isContainer()) return false;
    for (const doc::Element& part : each.value.asDocument()) {
      if (part.value.type() != doc::BsonType::document || !isPartialFilter(part.value.asDocument())) return false;
    }
  }
  return true;
}

Outcome<std::vector<IndexProblem>> findIndexProblems(Source& from, const std::string& source,
                                                     const PlannedIndexes& planned) {
  return CollectionPlan(from, source, planned).find();
}

}  // namespace mb::introspection
