// From the route table and its notes to what the description says.
#pragma once

#include <span>

#include "api/route_notes.h"

namespace mb::api {

// The note of a route; null where there is none.
const RouteNote* noteOf(const Route& route, std::span<const RouteNote> notes);

// "/api/v1/:collection!/:id" as OpenAPI writes it: "/api/v1/{collection}/{id}".
std::string openApiPath(std::string_view pattern);

// Declares on admin and control routes what their query may hold: what their notes name. Other planes ignore what they
// do not know.
void declareQueries(RouteTable& routes, std::span<const RouteNote> notes);

// Every route as an operation. One that can only refuse, as its note gives no answer, is left out. So is one without a
// note: tests see to it that there is none.
std::vector<description::Operation> operationsOf(const RouteTable& routes, std::span<const RouteNote> notes);

}  // namespace mb::api
