// The fields of system collections that are sealed under the deployment's master secret. Each module declares its
// fields next to its collections, and the composition root lists them all (app/application.h). A secret rotation
// re-encrypts exactly these: a field that is missing from the list is unreadable after it.
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "store/store.h"

namespace mb::store {

struct SealedField {
  enum class Form { base64, bytes };  // a string, or binary
  CollectionNo collection;
  std::string_view field;  // at the top of the document; absent or empty if nothing is sealed
  Form form = Form::base64;
  // The associated data of the sealed value. `project` is the project's id, "" in the control project.
  std::string (*context)(std::string_view project, doc::DocumentView document);
};

}  // namespace mb::store
