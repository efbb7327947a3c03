// Documents of an owner's database in our form, and back.
//
// Their `_id` stays as it is and is never shown. The id that is shown is their field `id`, where it has the form of an
// id; else the cover of an `_id` that is an ObjectId; else an `_id` that is a string of that form. A document without
// any of these is hidden.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"
#include "document/foreign_bson.h"
#include "store/own/cover.h"
#include "store/store_types.h"

namespace mb::store::own {

// The 12 bytes of a new ObjectId (https://www.mongodb.com/docs/manual/reference/bson-types/#objectid).
std::string newObjectId();
// [A-Za-z0-9_-], 1 to 64 of them.
bool isShownId(std::string_view text);

// The id of a document. `stored` is well-formed; so below.
std::optional<std::string> shownId(std::string_view stored, Cover& cover);
// The id that an `_id` alone gives; nullopt where it is neither an ObjectId nor a string of the form of an id.
std::optional<std::string> idOfKey(const doc::ForeignElement& key, Cover& cover);
// The id that a backfill gives a document without one: idOfKey(), else one that follows from the `_id`.
std::string backfilledId(const doc::ForeignElement& key, Cover& cover);
// Names an `_id` among those of a collection: 64 hexadecimal digits.
std::string nameOfKey(const doc::ForeignElement& key);
// The document as shown, `id` first; nullopt for a hidden one.
std::optional<doc::Document> shown(std::string_view stored, Cover& cover);
// All fields as shown, with `_id` and `id` as they are: what the server sorts by.
doc::Document sortable(std::string_view stored);
// Changes with the document. Never 0.
DocumentVersion versionOf(std::string_view stored);
// The element of that name; nullopt for none.
std::optional<doc::ForeignElement> elementOf(std::string_view stored, std::string_view key);

// A new document, to be stored: `id` leads to its `_id` if it is a cover, else it gets a new one.
doc::Document newStored(doc::DocumentView document, Cover& cover);
// A changed document, to be stored: what `after` shows as `stored` does stays as it is stored, in its place.
// `replaces`: fails with conflict, naming the path, where it would lose a value that JSON has no form for.
Result<std::string> changedStored(std::string_view stored, doc::DocumentView after, bool replaces);

}  // namespace mb::store::own
