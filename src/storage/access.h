// The caller, the project and the deadline of a call.
#pragma once

#include <optional>

#include "identity/project_access.h"
#include "policy/trace.h"

namespace mb::storage {

struct Access : identity::ProjectAccess {
  // The function that the call is made for, of a caller of kind server; nullopt for requests.
  std::optional<store::Actor> function = std::nullopt;
  policy::Trace* trace = nullptr;  // of a trial, which caches no sets, as they may be drafts. Null in requests

  store::Actor actor() const { return function ? *function : policy::actorOf(caller); }
};

}  // namespace mb::storage
