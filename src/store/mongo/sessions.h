// The sessions of the instances, so that a start, and the other instances, end what killed ones left: the server keeps
// a transaction without its client for a minute, and refuses all writes of the documents that it has written until
// then.
#pragma once

#include <string_view>

#include "store/mongo/connection.h"
#include "store/mongo/names.h"

namespace mb::store::mongo {

// Stores that the instance uses a session. Blocks.
Outcome<> noteSession(Connection& connection, const Names& names, std::string_view instance, doc::DocumentView session);
// Ends the sessions of instances that send no beats, and forgets them. Waits for a second if there is an instance that
// has not said that it ended. A transaction of a live instance that is taken for a killed one runs again. Blocks.
Outcome<> endAbandonedSessions(Connection& connection, const Names& names);
// Ends the sessions of an instance that may have been killed; a start forgets them. If it lives, its transactions run
// again. Blocks.
Outcome<> endSessionsOf(Connection& connection, const Names& names, std::string_view instance);

}  // namespace mb::store::mongo
