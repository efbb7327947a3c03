#include "realtime/subscription.h"

namespace mb::realtime {

Name* Names::acquire(const std::string& id) {
  const auto [found, added] = names_.try_emplace(id);
  Name& name = found->second;
  if (added) {
    name.id = id;
    name.head = eventHead(id);
  }
  ++name.uses;
  return &name;
}

void Names::release(Name* name) {
  if (--name->uses == 0) names_.erase(names_.find(name->id));
}

}  // namespace mb::realtime
