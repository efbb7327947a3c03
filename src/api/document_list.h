// The JSON of a list of documents, of its access path, and of both in a response.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "store/store.h"

namespace mb::api {

// Appends `{"documents":[…]`, without the closing brace; yields to other work on the core. `out` and `documents`
// outlive the call.
Task<> writeDocuments(std::string& out, const std::vector<doc::Document>& documents);

// Appends `,"explain":{…}`: `index` is "" for a scan of the collection, `timeMs` the time in the store.
void writeExplain(std::string& out, const store::Explain& explain);

}  // namespace mb::api
