// The access path of a query, as the server reports it
// (https://www.mongodb.com/docs/manual/reference/explain-results/).
#pragma once

#include "store/mongo/connection.h"
#include "store/store.h"

namespace mb::store::mongo {

// The command that runs a `find` command for its figures, and returns none of its documents.
doc::Document explainCommand(doc::DocumentView find);
// Explain without `took`, from the reply to it. `info`: the collection, null for a system collection. Fails with the
// error that ended the query.
Outcome<Explain> explainOf(doc::DocumentView reply, const CollectionInfo* info);

}  // namespace mb::store::mongo
