// A Realm is a context with the documented globals. Each JS module has one of its own, and keeps it between runs.
#pragma once

#include <v8.h>

#include <memory>

namespace mb::worker {

class Realm {
 public:
  Realm(Realm&&) = default;
  Realm& operator=(Realm&&) = default;

  v8::Local<v8::Context> context(v8::Isolate* isolate) const { return context_.Get(isolate); }
  v8::MicrotaskQueue& queue() const { return *queue_; }
  // The function (run, context, kind, rawBody) that completes a context object: boot/bridge.js.
  v8::Local<v8::Function> bridge(v8::Isolate* isolate) const { return bridge_.Get(isolate); }

 private:
  friend class Realms;
  Realm() = default;

  std::unique_ptr<v8::MicrotaskQueue> queue_;
  v8::Global<v8::Context> context_;
  v8::Global<v8::Function> bridge_;
};

// Creates realms. Their scripts are compiled once.
class Realms {
 public:
  // `native`: the functions for the boot scripts; `global`: functions that are globals themselves.
  Realms(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native, v8::Local<v8::ObjectTemplate> global);
  Realm make();

 private:
  v8::Isolate* isolate_;
  v8::Global<v8::ObjectTemplate> native_;
  v8::Global<v8::ObjectTemplate> global_;
  v8::Global<v8::UnboundScript> boot_;
};

}  // namespace mb::worker
