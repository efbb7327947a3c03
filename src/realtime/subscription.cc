#include "realtime/subscription.h"

namespace mb::realtime {

namespace {

std::string renderingKey(policy::ReaderKind reader, const doc::FieldSet& fields) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(reader)));
  for (const std::string& path : fields.paths()) {
    key += path;
    key += '\0';  // in no path
  }
  return key;
}

// A rendering's key holds no length, so it comes last.
std::string nameKey(const std::string& id, const std::string& rendering) {
  return std::to_string(id.size()) + ":" + id + rendering;
}

}  // namespace

Name* Names::acquire(const std::string& id, policy::ReaderKind reader, const doc::FieldSet& fields) {
  const std::string shown = renderingKey(reader, fields);
  const auto [found, added] = names_.try_emplace(nameKey(id, shown));
  Name& name = found->second;
  if (added) {
    Rendering& rendering = renderings_[shown];
    if (rendering.uses++ == 0) {
      rendering.reader = reader;
      rendering.fields = fields;
    }
    name.id = id;
    name.head = eventHead(id);
    name.rendering = &rendering;
  }
  ++name.uses;
  return &name;
}

void Names::release(Name* name) {
  if (--name->uses > 0) return;
  const std::string shown = renderingKey(name->rendering->reader, name->rendering->fields);
  if (--name->rendering->uses == 0) renderings_.erase(shown);
  names_.erase(nameKey(name->id, shown));
}

}  // namespace mb::realtime
