// The configuration of a collection on its way through a backup, where numbers of collections mean others.
#pragma once

#include "data/collection_config.h"

namespace mb::data {

// As a backup holds it: references name collections as they are called now, and are bound to none. `collections`: of
// the project.
doc::Document backedUpConfig(doc::DocumentView stored, const std::vector<store::CollectionInfo>& collections);

// As it comes back; backups of earlier versions hold references that are bound.
CollectionConfig restoredConfig(doc::DocumentView backedUp);

}  // namespace mb::data
