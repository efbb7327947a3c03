// Converts the route table and its docs to the operations of the OpenAPI document.
#pragma once

#include <span>

#include "api/route_docs.h"

namespace mb::api {

// The doc of a route; null without one.
const RouteDoc* docOf(const Route& route, std::span<const RouteDoc> docs);

// "/api/v1/:collection!/:id" as OpenAPI writes it: "/api/v1/{collection}/{id}".
std::string openApiPath(std::string_view pattern);

// Sets the permitted query parameters of admin and control routes: those that their docs name. Routes of other planes
// ignore unknown parameters.
void declareQueries(RouteTable& routes, std::span<const RouteDoc> docs);

// Every route as an operation. Omits routes that can only fail, whose docs have no responses, and routes without a doc;
// tests check that every route has one.
std::vector<openapi::Operation> operationsOf(const RouteTable& routes, std::span<const RouteDoc> docs);

}  // namespace mb::api
