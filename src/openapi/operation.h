// The description of one route, as plain data. Texts are literals or live as long as the program; schemas and examples
// are JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "document/shape_info.h"

namespace mb::openapi {

struct Parameter {
  enum class In { path, query, header };
  In in = In::query;
  std::string name = {};
  std::string_view meaning = "";
  std::string_view schema = "";  // with an example in its `examples`
};

// The body of a request or a response.
struct Content {
  std::string_view type = "application/json";
  std::string_view key = "";      // of the object around it: "documents"; "" without one
  doc::ShapeRef shape = nullptr;  // the value under the key, or the whole
  bool list = false;              // an array of it
  std::string_view schema = "";   // JSON Schema, if there is no shape; both empty: no body
  bool none() const { return shape == nullptr && schema.empty(); }
};

struct Response {
  static constexpr int kAnyStatus = 0;
  int status = 204;
  Content content = {};
  std::string_view meaning = "";  // "": the default text of the status
  bool hasVersion = false;        // has the `etag` of a document
  bool setsCookie = false;        // may set or clear the cookie of a platform user's session
};

struct Security {
  std::string_view scheme;
  std::string role;  // a permission or scope; "" if the scheme is enough
};

struct Operation {
  std::string method;  // "get"
  std::string path;    // "/api/v1/admin/roles/{name}"
  std::string id;
  std::string tag;
  std::string summary;
  std::string_view more;  // "" or further description
  std::vector<Parameter> parameters;
  Content body;
  Content otherBody;  // of another type, if the route takes two
  bool bodyRequired = true;
  std::vector<Response> responses;
  std::vector<doc::ShapeRef> mentions;  // shapes that schemas of its responses refer to by name
  std::vector<ErrorCode> errors;
  std::vector<Security> security;  // any one of them is enough; none: public
  bool ofCollection = false;       // begins with "/api/v1/{collection}": a project's document has one per collection
};

}  // namespace mb::openapi
