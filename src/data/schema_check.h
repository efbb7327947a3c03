// How many of the stored documents would not pass another schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"

namespace mb::data {

inline constexpr int64_t kMaxCheckedDocuments = 100'000;
inline constexpr size_t kMaxFailingExamples = 20;

struct SchemaCheckRequest {
  doc::Document schema;
  std::optional<int64_t> limit;  // 1 to kMaxCheckedDocuments, which is the default
  static constexpr auto shape() {
    return doc::shape<SchemaCheckRequest>("SchemaCheckRequest", doc::field("schema", &SchemaCheckRequest::schema),
                                          doc::field("limit", &SchemaCheckRequest::limit));
  }
};

struct SchemaBreach {
  std::string path;  // a JSON pointer
  std::string message;
  static constexpr auto shape() {
    return doc::shape<SchemaBreach>("SchemaBreach", doc::field("path", &SchemaBreach::path),
                                    doc::field("message", &SchemaBreach::message));
  }
};

struct FailingDocument {
  std::string id;
  std::vector<SchemaBreach> details;
  static constexpr auto shape() {
    return doc::shape<FailingDocument>("FailingDocument", doc::field("id", &FailingDocument::id),
                                       doc::field("details", &FailingDocument::details));
  }
};

struct SchemaCheck {
  int64_t checked = 0;
  int64_t failing = 0;
  std::vector<FailingDocument> examples;  // the first ones
  bool complete = false;                  // all documents were checked
  static constexpr auto shape() {
    return doc::shape<SchemaCheck>(
        "SchemaCheck", doc::field("checked", &SchemaCheck::checked), doc::field("failing", &SchemaCheck::failing),
        doc::field("examples", &SchemaCheck::examples), doc::field("complete", &SchemaCheck::complete));
  }
};

}  // namespace mb::data
