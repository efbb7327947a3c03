// An OpenApiDocument describes the API as OpenAPI 3.1. It is generated from the operations of the route table and from
// a project's collections.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "openapi/collection_schemas.h"
#include "openapi/operation.h"
#include "openapi/shape_schemas.h"

namespace mb::openapi {

struct Facts {
  std::string version;  // of the server
  std::string baseUrl;  // without a slash at its end
};

struct ProjectFacts {
  std::string id;
  std::string name;
  std::vector<CollectionFacts> collections;  // sorted by name
};

// A serialized document.
struct Text {
  std::string json;
  std::string etag;
};

// Immutable after construction; any thread.
class OpenApiDocument {
 public:
  OpenApiDocument(Facts facts, std::vector<Operation> operations);
  const std::vector<Operation>& operations() const { return operations_; }
  // The document of the deployment, independent of its projects.
  const Text& general() const { return general_; }
  // The same with paths and schemas for each collection instead of the general ones. Takes milliseconds: must not be
  // called on an I/O thread.
  Text ofProject(const ProjectFacts& project) const;

 private:
  struct WrittenOperation {
    const Operation* operation;
    doc::Document document;  // the Operation Object
  };
  Text textOf(const ProjectFacts* project) const;
  void writePaths(doc::BsonWriter& out, const ProjectFacts* project, const Components& components) const;
  void writeComponents(doc::BsonWriter& out, const Components& components) const;

  const Facts facts_;
  const std::vector<Operation> operations_;
  const ShapeSchemas shapes_;
  Components components_;                                   // of the general document
  std::map<std::string, std::vector<ErrorCode>> failures_;  // error responses by component name
  std::vector<WrittenOperation> written_;
  Text general_;
};

}  // namespace mb::openapi
