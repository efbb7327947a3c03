// JSON Schemas of the shapes that operations name.
#pragma once

#include <set>
#include <span>

#include "openapi/example.h"
#include "openapi/operation.h"

namespace mb::openapi {

enum class Direction { body, response };

// The schemas of all shapes that the operations name, and of nested ones. A shape of both bodies and responses has two
// schemas if they differ: a body may omit fields; its schema is then named "<name>Input".
class ShapeSchemas {
 public:
  explicit ShapeSchemas(std::span<const Operation> operations);
  const Components& components() const { return components_; }
  std::string nameOf(doc::ShapeRef shape, Direction direction) const;

 private:
  void collect(doc::ShapeRef shape, Direction direction);
  doc::Document schemaOf(const doc::ShapeInfo& shape, Direction direction) const;

  std::set<std::pair<std::string, Direction>> seen_;
  std::vector<std::pair<doc::ShapeRef, Direction>> found_;
  std::set<std::string> doubled_;
  Components components_;
};

}  // namespace mb::openapi
