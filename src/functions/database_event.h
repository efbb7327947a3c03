// The event of a database trigger, before or after the write: {type: "database", event, collection, documentId,
// document, previous?}. `document` is null on delete; `previous` is set on update, replace and delete.
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

// Whether the function's trigger names this kind of change; `update` includes replace.
bool wants(const Function& function, store::ChangeEntry::Kind kind);

}  // namespace mb::functions
