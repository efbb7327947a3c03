// The report on a collection, from its facts and a sample of its documents.
#pragma once

#include <vector>

#include "introspection/facts.h"
#include "introspection/report.h"

namespace mb::introspection {

// `samples`: doc::isWellFormed() BSON; a document that is there twice counts once for its id. Takes some ten
// milliseconds a MiB of them.
Report analyze(const std::vector<std::string>& samples, const CollectionFacts& facts);

}  // namespace mb::introspection
