// Adapts a request body to storage::Upload.
#pragma once

#include "http/body.h"
#include "storage/files.h"

namespace mb::api {

// For routes that stream; `body` outlives it.
class StreamedUpload final : public storage::Upload {
 public:
  explicit StreamedUpload(http::BodyReader& body) : body_(body) {}
  Task<std::string_view> read() override { return body_.read(); }
  void setLimit(uint64_t maxBytes) override { body_.setLimit(maxBytes); }
  std::optional<uint64_t> size() const override { return body_.size(); }

 private:
  http::BodyReader& body_;
};

}  // namespace mb::api
