#include "api/context.h"

namespace mb::api {

namespace {

// JSON is rarely more than a quarter longer than its BSON.
std::string reserved(doc::DocumentView value, size_t around) {
  std::string out;
  out.reserve(value.bytes().size() + value.bytes().size() / 4 + around);
  return out;
}

}  // namespace

Reply Reply::entity(int status, std::string_view key, doc::DocumentView value, const doc::FieldSet* hidden) {
  std::string body = reserved(value, key.size() + 16);
  body += '{';
  doc::writeJsonString(body, key);
  body += ':';
  doc::writeJson(body, value, hidden);
  body += '}';
  return {http::Response::json(status, std::move(body))};
}

Reply Reply::object(int status, doc::DocumentView value) {
  std::string body = reserved(value, 16);
  doc::writeJson(body, value);
  return {http::Response::json(status, std::move(body))};
}

}  // namespace mb::api
