// What introspection says about a collection of an owner's database. No value of a document is part of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"

namespace mb::introspection {

// A collection in the list of all.
struct Candidate {
  std::string name;
  doc::Nullable<int64_t> documents;  // as the database estimates it; null where it was not read in time
  doc::Nullable<int64_t> sizeBytes;
  doc::Nullable<std::string> imported;  // its name here
  bool importable = false;
  std::optional<std::string> reason;  // why it cannot be imported
  static constexpr auto shape() {
    return doc::shape<Candidate>(
        "IntrospectedCollection", doc::field("name", &Candidate::name), doc::field("documents", &Candidate::documents),
        doc::field("sizeBytes", &Candidate::sizeBytes), doc::field("imported", &Candidate::imported),
        doc::field("importable", &Candidate::importable), doc::field("reason", &Candidate::reason));
  }
};

struct IndexReport {
  std::string name;
  doc::Document keys;
  bool unique = false;
  static constexpr auto shape() {
    return doc::shape<IndexReport>("IntrospectedIndex", doc::field("name", &IndexReport::name),
                                   doc::field("keys", &IndexReport::keys), doc::field("unique", &IndexReport::unique));
  }
};

struct StatsReport {
  int64_t count = 0;
  int64_t sizeBytes = 0;
  int64_t averageSizeBytes = 0;
  std::vector<IndexReport> indexes;
  static constexpr auto shape() {
    return doc::shape<StatsReport>(
        "IntrospectedStats", doc::field("count", &StatsReport::count), doc::field("sizeBytes", &StatsReport::sizeBytes),
        doc::field("averageSizeBytes", &StatsReport::averageSizeBytes), doc::field("indexes", &StatsReport::indexes));
  }
};

struct FieldReport {
  std::string path;
  doc::Document types;  // {<name>: <share of the documents that have the path>}
  double present = 0;   // the share of the sampled documents; 1 only for all of them
  int64_t examples = 0;
  static constexpr auto shape() {
    return doc::shape<FieldReport>(
        "IntrospectedField", doc::field("path", &FieldReport::path), doc::field("types", &FieldReport::types),
        doc::field("present", &FieldReport::present), doc::field("examples", &FieldReport::examples));
  }
};

// How many documents have a string as `id`, and how many have no `id`.
struct IdReport {
  int64_t withId = 0;
  int64_t withoutId = 0;
  std::optional<bool> estimated;  // true: from the sample, as counting took too long
  static constexpr auto shape() {
    return doc::shape<IdReport>("IntrospectedIds", doc::field("withId", &IdReport::withId),
                                doc::field("withoutId", &IdReport::withoutId),
                                doc::field("estimated", &IdReport::estimated));
  }
};

struct Problem {
  std::string code;
  std::string severity;  // "error", "warning", "info"
  std::string message;
  std::optional<std::string> path;
  static constexpr auto shape() {
    return doc::shape<Problem>("IntrospectionProblem", doc::field("code", &Problem::code),
                               doc::field("severity", &Problem::severity), doc::field("message", &Problem::message),
                               doc::field("path", &Problem::path));
  }
};

struct Report {
  std::string collection;
  StatsReport stats;
  int64_t sampled = 0;
  doc::Document schema;
  std::vector<FieldReport> fields;
  IdReport ids;
  std::string verdict;  // "ready", "needs-backfill", "incompatible"
  std::vector<Problem> problems;
  static constexpr auto shape() {
    return doc::shape<Report>("IntrospectionReport", doc::field("collection", &Report::collection),
                              doc::field("stats", &Report::stats), doc::field("sampled", &Report::sampled),
                              doc::field("schema", &Report::schema), doc::field("fields", &Report::fields),
                              doc::field("ids", &Report::ids), doc::field("verdict", &Report::verdict),
                              doc::field("problems", &Report::problems));
  }
};

inline constexpr std::string_view kIncompatible = "incompatible";

}  // namespace mb::introspection
