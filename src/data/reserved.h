// Reserved names, and the form of valid names of collections, indexes and documents.
#pragma once

#include <string>
#include <string_view>

namespace mb::data {

// True for words of API routes, system collections, and names that start with "__" or "system.". Case-sensitive, as
// paths are.
bool isReservedCollection(std::string_view name);
// "admin, audit, … and names that start with __ or system.", for messages.
std::string reservedCollections();
// ^[A-Za-z][A-Za-z0-9_-]{0,63}$: collections and indexes.
bool isCollectionName(std::string_view name);
// ^[A-Za-z0-9_-]{1,64}$: ids of documents that clients choose.
bool isDocumentId(std::string_view id);

}  // namespace mb::data
