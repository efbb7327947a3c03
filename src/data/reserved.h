// Names that no collection can have, and the shape of those it can. Source: contract 2.6, decisions 8 ("Rules",
// "Names").
#pragma once

#include <string>
#include <string_view>

namespace mb::data {

// API route words, system collections, and whatever starts with "__" or "system.". Case counts, as in paths.
bool isReservedCollection(std::string_view name);
// "admin, audit, … and what starts with __ or system.", for messages.
std::string reservedCollections();
// ^[A-Za-z][A-Za-z0-9_-]{0,63}$: collections and indexes.
bool isCollectionName(std::string_view name);
// ^[A-Za-z0-9_-]{1,64}$: ids of documents that clients choose.
bool isDocumentId(std::string_view id);

}  // namespace mb::data
