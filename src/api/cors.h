// CORS: which origins may call the API. Data plane: any origin, unless the project lists its own. Control and admin
// planes: the server's own origin and those of SERVICE_CORS_ORIGINS.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace mb::api {

enum class CorsPlane { data, control };

class Cors {
 public:
  // `baseUrl` gives the server's own origin.
  Cors(std::string_view baseUrl, std::vector<std::string> controlOrigins);

  // By the decoded segments of the path.
  static CorsPlane planeOf(const std::vector<std::string>& segments);
  // The response to a preflight: 204, with or without permission.
  http::Response preflight(CorsPlane plane, std::string_view origin) const;
  // Adds the CORS headers to the response of a request from `origin`. `projectOrigins` are the origins that the project
  // lists; empty, or with projects::kAnyOrigin, for any.
  void decorate(http::Response& response, CorsPlane plane, std::string_view origin,
                const std::vector<std::string>& projectOrigins) const;

 private:
  bool allowsControl(std::string_view origin) const;
  std::vector<std::string> controlOrigins_;
};

}  // namespace mb::api
