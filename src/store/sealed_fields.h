// What in system collections is sealed under the deployment's master secret. Each module declares its fields beside its
// collections, and the composition root lists them all (app/application.h): a change of the secret seals exactly these
// anew, so a field that is missing here cannot be read after one.
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "store/store.h"

namespace mb::store {

struct SealedField {
  enum class Form { base64, bytes };  // a string, or binary
  CollectionNo collection;
  std::string_view field;  // at the top of the document; absent or empty where there is nothing to seal
  Form form = Form::base64;
  // What the value is bound to. `project` is the project's id, "" in the control project.
  std::string (*context)(std::string_view project, doc::DocumentView document);
};

}  // namespace mb::store
