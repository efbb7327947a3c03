// Rules for webhooks.
#pragma once

#include "webhooks/webhook_types.h"

namespace mb::webhooks {

inline constexpr size_t kMaxHeaderBytes = 8 << 10;  // of all names and values
inline constexpr size_t kMaxFields = 100;

// All problems, with paths relative to the webhook; empty for a valid one. Does not check whether the collection
// exists.
std::vector<ErrorDetail> problemsOf(const NewWebhook& webhook);
// The same as an error; conflict for too many headers.
Result<> check(const NewWebhook& webhook);

// The name's key in the store.
std::string keyOf(std::string_view name);
// Headers sorted by name, without regard to case.
doc::Document sortedHeaders(doc::DocumentView headers);

}  // namespace mb::webhooks
