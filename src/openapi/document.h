// The machine-readable description of the interface: OpenAPI 3.1, made from the operations that the route table gives
// and from a project's collections. Source: contract 4.1 and 9, decisions 1.
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

// A description as it is sent.
struct Text {
  std::string json;
  std::string etag;
};

// Immutable once made; any thread.
class OpenApiDocument {
 public:
  OpenApiDocument(Facts facts, std::vector<Operation> operations);
  const std::vector<Operation>& operations() const { return operations_; }
  // Of the deployment, whatever its projects are.
  const Text& general() const { return general_; }
  // The same with a path and schemas for each collection in place of those for any. Takes milliseconds: not on an I/O
  // thread.
  Text ofProject(const ProjectFacts& project) const;

 private:
  struct Made {
    const Operation* operation;
    doc::Document document;  // the Operation Object
  };
  Text textOf(const ProjectFacts* project) const;
  void writePaths(doc::BsonWriter& out, const ProjectFacts* project, const Components& components) const;
  void writeComponents(doc::BsonWriter& out, const Components& components) const;

  const Facts facts_;
  const std::vector<Operation> operations_;
  const ShapeSchemas shapes_;
  Components components_;                                   // of the general description
  std::map<std::string, std::vector<ErrorCode>> failures_;  // error answers by the name they are referred to
  std::vector<Made> made_;
  Text general_;
};

}  // namespace mb::openapi
