// The input and output of a handler. A RequestContext holds the request, the caller, the project's current snapshot and
// the path parameters. Handlers decode, call one service and encode; nothing else.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/fair_pool.h"
#include "document/json.h"
#include "document/shape.h"
#include "http/message.h"
#include "identity/rate_limiter.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"
#include "store/store.h"

namespace mb::api {

// The project of limits of the control plane.
inline constexpr std::string_view kControlLimits = "control";
// The limit that a request counts against, with the result.
struct CountedRequest {
  std::string_view action;
  identity::Allowance allowance;
};

struct RequestContext {
  http::Request& request;
  std::vector<std::string> params;  // path captures, in order
  policy::Caller caller;
  // Null on routes without a project, until the handler sets it; request counters use it.
  snapshot::SnapshotPtr project;
  store::Deadline deadline;                    // of the whole request
  std::string clientIp;                        // peer, or x-forwarded-for through trusted proxies
  std::chrono::seconds limit{30};              // of `deadline`, at the start
  FairPool& parsing;                           // of large bodies
  std::optional<CountedRequest> counted = {};  // by the handler itself (Gate::countsCookies); the response shows it

  // Restarts the limit. For requests whose body streams, called once the body has arrived.
  void renewDeadline() { deadline = std::chrono::steady_clock::now() + limit; }
  const std::string& param(size_t index) const { return params[index]; }
  // Whether the body is parsed off the core, as its JSON may take some twenty milliseconds a MiB.
  bool hasLargeBody() const { return request.body.size() > kLargeBody; }
  static constexpr size_t kLargeBody = 64 << 10;
  // Runs `parse`, which returns a Result, on the core, or off it if the body is large.
  template <class F>
  Async<std::invoke_result_t<F>> parsed(F parse) {
    if (!hasLargeBody()) co_return parse();
    co_return co_await parsing.run(project ? project->info().id.str() : "", std::move(parse));
  }
};

// The result of a handler.
struct Reply {
  http::Response response;

  static Reply noContent() { return {http::Response::empty(204)}; }
  static Reply createdEmpty() { return {http::Response::empty(201)}; }
  static Reply acceptedEmpty() { return {http::Response::empty(202)}; }
  // {"<key>": <document>}; fields in `hidden` left out.
  static Reply entity(int status, std::string_view key, doc::DocumentView value, const doc::FieldSet* hidden = nullptr);
  static Reply object(int status, doc::DocumentView value);
  // {"<key>": [<shape>, …]}
  template <doc::Shaped T>
  static Reply list(std::string_view key, const std::vector<T>& items) {
    doc::BsonWriter out;
    doc::encodeValue(out, key, items);
    return object(200, out.finish());
  }
  template <doc::Shaped T>
  static Reply entity(int status, std::string_view key, const T& value) {
    const doc::Document encoded = doc::encode(value);
    return entity(status, key, encoded.view());
  }
  template <doc::Shaped T>
  static Reply object(int status, const T& value) {
    const doc::Document encoded = doc::encode(value);
    return object(status, encoded.view());
  }
};

}  // namespace mb::api
