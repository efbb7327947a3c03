#include "functions/run_actor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "functions/runner.h"

namespace mb::functions {

store::Actor actorOf(std::string_view functionId, int depth) {
  return {store::ActorKind::function, fmt::format("{}/{}", functionId, depth)};
}

int depthOf(const store::Actor& actor) {
  if (actor.kind != store::ActorKind::function) return 0;
  const std::string_view id = actor.id;
  const size_t slash = id.rfind('/');
  // A change with an unreadable depth triggers no run.
  int depth = kMaxDepth;
  if (slash != std::string_view::npos) std::from_chars(id.data() + slash + 1, id.data() + id.size(), depth);
  return std::clamp(depth, 0, kMaxDepth);
}

}  // namespace mb::functions
