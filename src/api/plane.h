// The planes of the API, and what the gate of a route checks on each: one row of kPlanes a plane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mb::api {

// dataOrPublic: like `data` with a token; without one an anonymous caller of the project that the link names.
// dataOrAnonymous: the same where a public rule serves the operation (docs/policies.md, "Public rules").
enum class Plane : uint8_t {
  open,
  authPublic,
  endUser,
  data,
  dataOrPublic,
  dataOrAnonymous,
  admin,
  control,
  operators
};

// The token that identifies the caller. project: of an end user or a member of the project, or an API key.
enum class PlaneToken : uint8_t { none, project, control };
// Which of the two names of an anonymous caller's project counts if the header x-service-project and the query differ.
enum class ProjectLookup : uint8_t { none, headerFirst, queryFirst };
// Which of the identified callers pass. administrators: all but end users and keys of scope service. operators:
// super-admins, where SERVICE_OPERATORS is set.
enum class PlaneCallers : uint8_t { all, endUsers, administrators, operators };
// Whether API keys need the scope of the gate. ifNamed: a gate without one leaves the check to the handler.
enum class ScopeCheck : uint8_t { never, ifNamed, always };

struct PlaneTraits {
  Plane plane;
  PlaneToken token = PlaneToken::none;
  bool anonymous = false;  // requests without a token pass
  ProjectLookup lookup = ProjectLookup::none;
  PlaneCallers callers = PlaneCallers::all;
  ScopeCheck scope = ScopeCheck::never;
  bool checksPermission = false;  // that of the gate
  // Requests without a token pass only where a public rule serves them; else one error, whatever the reason.
  bool publicRules = false;

  // Whether requests have a project, which must be active.
  constexpr bool needsProject() const { return token == PlaneToken::project || lookup != ProjectLookup::none; }
};

// In the order of the enumeration.
inline constexpr std::array kPlanes = {
    PlaneTraits{.plane = Plane::open, .anonymous = true},
    PlaneTraits{.plane = Plane::authPublic, .anonymous = true, .lookup = ProjectLookup::headerFirst},
    PlaneTraits{.plane = Plane::endUser, .token = PlaneToken::project, .callers = PlaneCallers::endUsers},
    PlaneTraits{.plane = Plane::data, .token = PlaneToken::project, .scope = ScopeCheck::ifNamed},
    PlaneTraits{.plane = Plane::dataOrPublic,
                .token = PlaneToken::project,
                .anonymous = true,
                .lookup = ProjectLookup::queryFirst,  // a signed link names its project there
                .scope = ScopeCheck::ifNamed},
    PlaneTraits{.plane = Plane::dataOrAnonymous,
                .token = PlaneToken::project,
                .anonymous = true,
                .lookup = ProjectLookup::headerFirst,
                .scope = ScopeCheck::ifNamed,
                .publicRules = true},
    PlaneTraits{.plane = Plane::admin,
                .token = PlaneToken::project,
                .callers = PlaneCallers::administrators,
                .scope = ScopeCheck::always,
                .checksPermission = true},
    PlaneTraits{.plane = Plane::control, .token = PlaneToken::control},
    PlaneTraits{.plane = Plane::operators, .token = PlaneToken::control, .callers = PlaneCallers::operators},
};

static_assert(
    [] {
      for (size_t i = 0; i < kPlanes.size(); ++i) {
        const PlaneTraits& row = kPlanes[i];
        if (static_cast<size_t>(row.plane) != i || (row.token == PlaneToken::none && !row.anonymous)) return false;
      }
      return kPlanes.size() == static_cast<size_t>(Plane::operators) + 1;
    }(),
    "each plane has one row, in order, and takes a token or anonymous callers");

constexpr const PlaneTraits& traitsOf(Plane plane) {
  return kPlanes[static_cast<size_t>(plane)];
}

}  // namespace mb::api
