// The fields that the rules of a policy let an update change.
#pragma once

#include "data/collection_table.h"

namespace mb::data {

// Of the rule for `operation` (update or admin); nullopt without one.
std::optional<Collection::WriteFields> writeFieldsOf(const policy::Policy& policy, policy::Operation operation);

}  // namespace mb::data
