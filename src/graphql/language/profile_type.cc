#include "graphql/language/profile_type.h"

#include <algorithm>
#include <set>

#include "data/schema_references.h"
#include "graphql/language/names.h"

namespace mb::graphql {

namespace {

constexpr std::string_view kMetadataPrefix = "metadata.";

void addField(Type& type, std::string_view key, const Type* of) {
  Field field;
  field.name = graphqlName(key);
  field.key = key;
  field.type = of;
  if (!field.name.empty() && type.field(field.name) == nullptr) type.fields.push_back(std::move(field));
}

// The names directly under metadata. What is below them depends on each user.
std::set<std::string_view> metadataNames(const std::vector<std::string>& fields) {
  std::set<std::string_view> names;
  for (std::string_view path : fields) {
    if (!path.starts_with(kMetadataPrefix)) continue;
    path.remove_prefix(kMetadataPrefix.size());
    const std::string_view name = path.substr(0, path.find('.'));
    if (!graphqlName(name).empty()) names.insert(name);
  }
  return names;
}

}  // namespace

const Type& addProfileType(Types& types, const std::vector<std::string>& fields, std::string name,
                           std::string metadataName) {
  const BuiltIn& known = builtIn();
  Type& profile = types.add(TypeKind::object, std::move(name), "What is shown of an end user.");
  profile.collection = data::kEndUsers;
  addField(profile, "id", types.nonNull(known.scalar(Scalar::id)));
  for (const std::string_view own : {"email", "name"}) {
    if (std::ranges::find(fields, own) != fields.end()) addField(profile, own, known.scalar(Scalar::string));
  }
  const std::set<std::string_view> names = metadataNames(fields);
  if (names.empty()) return profile;
  Type& metadata = types.add(TypeKind::object, std::move(metadataName));
  for (const std::string_view each : names) addField(metadata, each, known.scalar(Scalar::json));
  addField(profile, "metadata", &metadata);
  return profile;
}

}  // namespace mb::graphql
