// The representation of a search hit.
#pragma once

#include "document/bson.h"

namespace mb::api {

// `document` with `_score` after its fields; replaces a field `_score` of its own.
inline doc::Document withScore(doc::DocumentView document, double score) {
  doc::BsonWriter out(document.bytes().size() + 32);
  for (const doc::Element& element : document) {
    if (element.key != "_score") out.append(element.key, element.value);
  }
  out.appendReal("_score", score);
  return out.finish();
}

}  // namespace mb::api
