// Responses about a project's own database, and their text for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"

namespace mb::cli {

// {code, message}: of a database, or of a collection that was imported.
struct DatabaseWarning {
  std::string code;
  std::string message;
  static constexpr auto shape() {
    return doc::shape<DatabaseWarning>("DatabaseWarning", doc::field("code", &DatabaseWarning::code),
                                       doc::field("message", &DatabaseWarning::message));
  }
};

struct DatabaseCapabilities {
  bool changeStreams = false;
  bool preImages = false;
  bool transactions = false;
  static constexpr auto shape() {
    return doc::shape<DatabaseCapabilities>("DatabaseCapabilities",
                                            doc::field("changeStreams", &DatabaseCapabilities::changeStreams),
                                            doc::field("preImages", &DatabaseCapabilities::preImages),
                                            doc::field("transactions", &DatabaseCapabilities::transactions));
  }
};

// POST /control/projects/:id/database/check
struct CheckedDatabase {
  DatabaseCapabilities byoCapabilities;
  std::vector<DatabaseWarning> warnings;
  bool reachable = false;
  static constexpr auto shape() {
    return doc::shape<CheckedDatabase>(
        "CheckedDatabase", doc::field("byoCapabilities", &CheckedDatabase::byoCapabilities),
        doc::field("warnings", &CheckedDatabase::warnings), doc::field("reachable", &CheckedDatabase::reachable));
  }
};

// A collection in GET /admin/introspect; `imported` is its name in the project.
struct ListedSource {
  std::string name;
  doc::Nullable<int64_t> documents;
  doc::Nullable<int64_t> sizeBytes;
  doc::Nullable<std::string> imported;
  bool importable = false;
  std::optional<std::string> reason;
  static constexpr auto shape() {
    return doc::shape<ListedSource>(
        "ListedSource", doc::field("name", &ListedSource::name), doc::field("documents", &ListedSource::documents),
        doc::field("sizeBytes", &ListedSource::sizeBytes), doc::field("imported", &ListedSource::imported),
        doc::field("importable", &ListedSource::importable), doc::field("reason", &ListedSource::reason));
  }
};

struct SourceList {
  std::vector<ListedSource> collections;
  static constexpr auto shape() {
    return doc::shape<SourceList>("SourceList", doc::field("collections", &SourceList::collections));
  }
};

// The parts of a report on a collection, GET /admin/introspect/:collection, that are printed.
struct SourceReport {
  struct Stats {
    int64_t count = 0;
    int64_t sizeBytes = 0;
    static constexpr auto shape() {
      return doc::shape<Stats>("Stats", doc::field("count", &Stats::count), doc::field("sizeBytes", &Stats::sizeBytes));
    }
  };
  // `types` maps names of types to their shares, `present` is the share of the documents with the field: 0 to 1.
  struct Field {
    std::string path;
    doc::Document types;
    double present = 0;
    static constexpr auto shape() {
      return doc::shape<Field>("Field", doc::field("path", &Field::path), doc::field("types", &Field::types),
                               doc::field("present", &Field::present));
    }
  };
  struct Ids {
    int64_t withId = 0;
    int64_t withoutId = 0;
    std::optional<bool> estimated;
    static constexpr auto shape() {
      return doc::shape<Ids>("Ids", doc::field("withId", &Ids::withId), doc::field("withoutId", &Ids::withoutId),
                             doc::field("estimated", &Ids::estimated));
    }
  };
  struct Problem {
    std::string code;
    std::string severity;
    std::string message;
    std::optional<std::string> path;
    static constexpr auto shape() {
      return doc::shape<Problem>("Problem", doc::field("code", &Problem::code),
                                 doc::field("severity", &Problem::severity), doc::field("message", &Problem::message),
                                 doc::field("path", &Problem::path));
    }
  };
  std::string collection;
  Stats stats;
  int64_t sampled = 0;
  std::vector<Field> fields;
  Ids ids;
  std::string verdict;
  std::vector<Problem> problems;
  static constexpr auto shape() {
    return doc::shape<SourceReport>(
        "SourceReport", doc::field("collection", &SourceReport::collection), doc::field("stats", &SourceReport::stats),
        doc::field("sampled", &SourceReport::sampled), doc::field("fields", &SourceReport::fields),
        doc::field("ids", &SourceReport::ids), doc::field("verdict", &SourceReport::verdict),
        doc::field("problems", &SourceReport::problems));
  }
};

// POST /admin/introspect/:collection/import
struct ImportedSource {
  std::string collection;
  std::string verdict;
  std::vector<DatabaseWarning> warnings;
  static constexpr auto shape() {
    return doc::shape<ImportedSource>("ImportedSource", doc::field("collection", &ImportedSource::collection),
                                      doc::field("verdict", &ImportedSource::verdict),
                                      doc::field("warnings", &ImportedSource::warnings));
  }
};

// POST /admin/introspect/:collection/backfill
struct BackfilledSource {
  int64_t matched = 0;
  int64_t modified = 0;
  int64_t remaining = 0;
  static constexpr auto shape() {
    return doc::shape<BackfilledSource>("BackfilledSource", doc::field("matched", &BackfilledSource::matched),
                                        doc::field("modified", &BackfilledSource::modified),
                                        doc::field("remaining", &BackfilledSource::remaining));
  }
};

// Several lines each, the last with a newline; "" for no warnings.
std::string textOf(const CheckedDatabase& database);
std::string textOf(const std::vector<ListedSource>& sources);
std::string textOf(const SourceReport& report);
std::string textOf(const std::vector<DatabaseWarning>& warnings);

}  // namespace mb::cli
