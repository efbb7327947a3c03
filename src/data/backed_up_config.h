// Converts the configuration of a collection for a backup and back. Collection numbers are not valid across a restore.
#pragma once

#include "data/collection_config.h"

namespace mb::data {

// The form in a backup: references hold the current names of collections and no numbers. `collections`: of the project.
doc::Document backedUpConfig(doc::DocumentView stored, const std::vector<store::CollectionInfo>& collections);

// The form in the store. Removes numbers from references, which backups of earlier versions contain.
CollectionConfig restoredConfig(doc::DocumentView backedUp);

}  // namespace mb::data
