// The event of a database trigger, before the write or after it: {type: "database", event, collection, documentId,
// document, previous?}. `document` is null on delete; `previous` is there on update, replace and delete. Source:
// decisions 5.
#pragma once

#include <optional>
#include <string_view>

#include "functions/function_table.h"
#include "store/change_feed.h"

namespace mb::functions {

struct DatabaseEvent {
  std::string_view event;  // insert update replace delete
  std::string_view collection;
  std::string_view documentId;
  std::optional<doc::DocumentView> document;
  std::optional<doc::DocumentView> previous;
};
doc::Document encodeEvent(const DatabaseEvent& event);

// Whether the function's trigger names this kind of change; one that names update gets replace too.
bool wants(const Function& function, store::ChangeEntry::Kind kind);

}  // namespace mb::functions
