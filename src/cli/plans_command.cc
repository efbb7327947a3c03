// `manybase plans list`, `set`, `grant`, `limits` and `costs`: for operators.
#include "cli/billing_views.h"
#include "cli/server_features.h"

namespace mb::cli {

namespace {

// The outcome of a change, with what was changed by name.
Outcome changed(const Session& session, std::string_view name, std::string_view value, std::string text) {
  doc::BsonWriter result;
  result.appendString("url", session.url());
  result.appendString(name, value);
  return Outcome{0, std::move(text), result.finish()};
}

// "maxProjects=50, vectors=unlimited"
std::string listed(doc::DocumentView limits) {
  std::string out;
  for (const plans::Limit limit : plans::kAllLimits) {
    const auto value = limits.find(plans::nameOf(limit));
    if (!value) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", plans::nameOf(limit), amountOf(limit, value->toInteger()));
  }
  return out;
}

// The body of a change of a plan by the command's options.
Result<doc::Document> planPatchIn(const Client& client) {
  doc::BsonWriter body;
  if (client.has("name")) body.appendString("name", client.value("name"));
  if (client.has("price")) {
    TRY(const double price, priceIn(client.value("price")));
    body.appendReal("priceUsdMonthly", price);
  }
  if (client.has("grandfather")) {
    const std::string given = client.value("grandfather");
    if (given != "on" && given != "off") {
      return fail(ErrorCode::invalidParam, fmt::format("--grandfather cannot be \"{}\": give on or off", given));
    }
    body.appendBool("grandfather", given == "on");
  }
  if (client.has("limits")) {
    TRY(const doc::Document limits, limitsIn(client.value("limits")));
    body.appendDocument("limits", limits);
  }
  doc::Document patch = body.finish();
  if (!patch.view().empty()) return patch;
  return fail(ErrorCode::invalidParam, "nothing to change: give --name, --price, --grandfather or limits");
}

}  // namespace

Result<Outcome> listPlans(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const doc::Document response, callAsOperator(*session, {"GET", "/control/admin/plans", "reading the plans"}));
  const auto plans = doc::decode<BilledPlans>(response, doc::UnknownFields::ignore);
  if (!plans) return unexpectedResponse(*session);
  doc::BsonWriter result;
  result.appendString("url", session->url());
  result.appendAll(response);
  return Outcome{0, textOf(*plans), result.finish()};
}

Result<Outcome> setPlan(Client& client) {
  const std::string slug = client.value("slug");
  TRY(doc::Document body, planPatchIn(client));
  TRY(const std::unique_ptr<Session> session, client.session());
  RETURN_IF_ERROR(callAsOperator(
      *session, {"PATCH", "/control/admin/plans/" + percentEncoded(slug), "changing the plan", std::move(body)}));
  return changed(*session, "plan", slug, fmt::format("changed the plan {}", slug));
}

Result<Outcome> grantPlan(Client& client) {
  const std::string user = client.value("user"), plan = client.value("plan");
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const std::string id, platformUserId(*session, user));
  doc::BsonWriter body;
  body.appendString("plan", plan);
  RETURN_IF_ERROR(callAsOperator(
      *session, {"POST", "/control/admin/users/" + percentEncoded(id) + "/plan", "granting the plan", body.finish()}));
  return changed(*session, "userId", id, fmt::format("granted the plan {} to {}", plan, user));
}

Result<Outcome> pinLimits(Client& client) {
  const std::string user = client.value("user");
  const bool clear = client.has("clear");
  if (clear == client.has("limits")) {
    return fail(ErrorCode::invalidParam, "give limits as NAME=VALUE, such as vectors=1000, or --clear");
  }
  std::optional<doc::Document> limits;
  if (!clear) {
    TRY(limits, limitsIn(client.value("limits")));
  }
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const std::string id, platformUserId(*session, user));
  Call call{clear ? "DELETE" : "PUT", "/control/admin/users/" + percentEncoded(id) + "/limits", "pinning the limits"};
  if (limits) {
    doc::BsonWriter body;
    body.appendDocument("limits", *limits);
    call.body = body.finish();
  }
  RETURN_IF_ERROR(callAsOperator(*session, std::move(call)));
  return changed(*session, "userId", id,
                 limits ? fmt::format("pinned the limits of {}: {}", user, listed(*limits))
                        : fmt::format("{} has the limits of their plan", user));
}

Result<Outcome> showCosts(Client& client) {
  const std::string from = client.value("from"), to = client.value("to");
  RETURN_IF_ERROR(checkDays(from, to));
  const bool csv = client.has("csv");
  if (csv && client.console().json()) return fail(ErrorCode::invalidParam, "give --csv or --json");
  TRY(const std::unique_ptr<Session> session, client.session());
  std::string table;
  TRY(const doc::Document response,
      callAsOperator(*session, {.path = fmt::format("/control/admin/costs?from={}&to={}", from, to),
                                .doing = "computing the costs",
                                .csv = csv ? &table : nullptr}));
  if (csv) return Outcome{0, std::move(table), {}};
  const auto costs = doc::decode<CostTable>(response, doc::UnknownFields::ignore);
  if (!costs) return unexpectedResponse(*session);
  doc::BsonWriter result;
  result.appendString("url", session->url());
  result.appendAll(response);
  return Outcome{0, textOf(*costs), result.finish()};
}

}  // namespace mb::cli
