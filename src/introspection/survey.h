// A collection of an owner's database, read and analyzed. Blocks.
#pragma once

#include "introspection/reading.h"
#include "introspection/report.h"

namespace mb::introspection {

struct Survey {
  CollectionFacts facts;
  Report report;
};

// nullopt if there is no such collection. `sample`: at most this many documents.
Outcome<std::optional<Survey>> surveyCollection(Source& source, const std::string& collection, size_t sample);

}  // namespace mb::introspection
