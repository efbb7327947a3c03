// What a handler gets: the request, who asks, the project as it is now, and the decoded input. Handlers decode, call
// one service and encode; nothing else.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/fair_pool.h"
#include "document/json.h"
#include "document/shape.h"
#include "http/message.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"
#include "store/store.h"

namespace mb::api {

struct RequestContext {
  http::Request& request;
  std::vector<std::string> params;  // path captures, in order
  policy::Caller caller;
  // null on routes without one, until the handler finds one: it is then whom the request counts for
  snapshot::SnapshotPtr project;
  store::Deadline deadline;        // of the whole request
  std::string clientIp;            // peer, or x-forwarded-for through trusted proxies
  std::chrono::seconds limit{30};  // what `deadline` was at the beginning
  FairPool& parsing;               // of large bodies

  // Of a request whose body streams, once the body has come: what is left to do has the whole limit again.
  void renewDeadline() { deadline = std::chrono::steady_clock::now() + limit; }
  const std::string& param(size_t index) const { return params[index]; }
  // So large that it is parsed off the core, as its JSON may take some twenty milliseconds a MiB.
  bool hasLargeBody() const { return request.body.size() > kLargeBody; }
  static constexpr size_t kLargeBody = 64 << 10;
  // Runs `parse`, which gives a Result, on the core or off it as the size of the body asks for.
  template <class F>
  Async<std::invoke_result_t<F>> parsed(F parse) {
    if (!hasLargeBody()) co_return parse();
    co_return co_await parsing.run(project ? project->info().id.str() : "", std::move(parse));
  }
};

// An answer on its way out.
struct Reply {
  http::Response response;

  static Reply noContent() { return {http::Response::empty(204)}; }
  static Reply createdEmpty() { return {http::Response::empty(201)}; }
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
