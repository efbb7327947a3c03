// From the route table and its docs to the operations of the OpenAPI document.
#pragma once

#include <span>

#include "api/route_docs.h"

namespace mb::api {

// The doc of a route; null where there is none.
const RouteDoc* docOf(const Route& route, std::span<const RouteDoc> docs);

// "/api/v1/:collection!/:id" as OpenAPI writes it: "/api/v1/{collection}/{id}".
std::string openApiPath(std::string_view pattern);

// Declares on admin and control routes what their query may hold: what their docs name. Other planes ignore what they
// do not know.
void declareQueries(RouteTable& routes, std::span<const RouteDoc> docs);

// Every route as an operation. One that can only refuse, as its doc gives no answer, is left out. So is one without a
// doc: tests see to it that there is none.
std::vector<openapi::Operation> operationsOf(const RouteTable& routes, std::span<const RouteDoc> docs);

}  // namespace mb::api
