// Rules for webhooks.
#pragma once

#include "variables/values.h"
#include "webhooks/webhook_types.h"

namespace mb::webhooks {

inline constexpr size_t kMaxHeaderBytes = 8 << 10;  // of all names and values
inline constexpr size_t kMaxFields = 100;

// All problems, with paths relative to the webhook; empty for a valid one. Does not check whether the collection
// exists. A URL or header that names a variable without a value can only be checked at its use.
std::vector<ErrorDetail> problemsOf(const NewWebhook& webhook, const variables::Values& values);
// The same as an error; conflict for too many headers.
Result<> check(const NewWebhook& webhook, const variables::Values& values);

// A part of a webhook that names variables.
struct HookReference {
  std::string path;  // "/url", "/headers/x-token"
  std::string text;
  variables::FieldKind kind;
};
std::vector<HookReference> referencesIn(std::string_view url, doc::DocumentView headers);
// The first variable of the headers that is secret, or may become so; "" if none.
std::string secretNamedIn(doc::DocumentView headers, const variables::Values& values);

// The name's key in the store.
std::string keyOf(std::string_view name);
// Headers sorted by name, without regard to case.
doc::Document sortedHeaders(doc::DocumentView headers);

}  // namespace mb::webhooks
