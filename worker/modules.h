// The JS modules that the server has loaded. Each has a context of its own, which is kept between runs.
#pragma once

#include <v8.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "realm.h"
#include "source_map.h"

namespace mb::worker {

struct Module {
  std::string source;
  std::string map;
  std::optional<Realm> realm;        // set by the first run
  v8::Global<v8::Function> handler;  // set once it is evaluated

  // Discards the context, so that the next run evaluates the code again.
  void forget() {
    handler.Reset();
    realm.reset();
  }
};

class Modules {
 public:
  // False if kMaxModules are loaded. Replaces a loaded module of the same id.
  bool load(std::string id, std::string source, std::string map);
  void unload(const std::string& id) { modules_.erase(id); }
  // Null if it is not loaded. A runner shares the ownership of the module that it runs.
  std::shared_ptr<Module> find(const std::string& id) const;

 private:
  std::map<std::string, std::shared_ptr<Module>> modules_;
};

// Parses a source map (text, version 3 as JSON; "" for none).
SourceMap positionsOf(v8::Local<v8::Context> context, const std::string& map);

// Compiles an ES module under kCodeName. Empty: the exception is pending.
v8::MaybeLocal<v8::Module> compileModule(v8::Local<v8::Context> context, std::string_view source);
// Always throw: a JS module cannot import.
v8::MaybeLocal<v8::Module> refuseImport(v8::Local<v8::Context> context, v8::Local<v8::String> specifier,
                                        v8::Local<v8::FixedArray> assertions, v8::Local<v8::Module> referrer);
v8::MaybeLocal<v8::Promise> refuseDynamicImport(v8::Local<v8::Context> context, v8::Local<v8::Data> options,
                                                v8::Local<v8::Value> resource, v8::Local<v8::String> specifier,
                                                v8::Local<v8::FixedArray> assertions);

}  // namespace mb::worker
