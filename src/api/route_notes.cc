#include "api/route_notes.h"

namespace mb::api {

std::vector<RouteNote> routeNotes() {
  std::vector<RouteNote> all;
  for (auto* table : {&serviceNotes, &authNotes, &identityNotes, &controlNotes, &collectionNotes, &functionNotes,
                      &operationNotes, &pageNotes, &storageNotes, &vectorNotes, &graphqlNotes}) {
    std::vector<RouteNote> notes = table();
    all.insert(all.end(), std::make_move_iterator(notes.begin()), std::make_move_iterator(notes.end()));
  }
  return all;
}

}  // namespace mb::api
