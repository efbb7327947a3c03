// The code of the worker's project that it was given, each module in a context of its own that lives on between runs.
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
  std::optional<Realm> realm;        // once it is first run
  v8::Global<v8::Function> handler;  // once it is evaluated

  // So that the next run begins with fresh code.
  void forget() {
    handler.Reset();
    realm.reset();
  }
};

class Modules {
 public:
  // False where there are kMaxModules. Loading one that is there replaces it.
  bool load(std::string id, std::string source, std::string map);
  void unload(const std::string& id) { modules_.erase(id); }
  // Null where it was not loaded. What runs is kept by whoever runs it.
  std::shared_ptr<Module> find(const std::string& id) const;

 private:
  std::map<std::string, std::shared_ptr<Module>> modules_;
};

// What a source map says (text, version 3 as JSON; none where it is empty).
SourceMap positionsOf(v8::Local<v8::Context> context, const std::string& map);

// Compiles an ES module under kCodeName. Empty: the exception is pending.
v8::MaybeLocal<v8::Module> compileModule(v8::Local<v8::Context> context, std::string_view source);
// Nothing that a module could import is there.
v8::MaybeLocal<v8::Module> refuseImport(v8::Local<v8::Context> context, v8::Local<v8::String> specifier,
                                        v8::Local<v8::FixedArray> assertions, v8::Local<v8::Module> referrer);
v8::MaybeLocal<v8::Promise> refuseDynamicImport(v8::Local<v8::Context> context, v8::Local<v8::Data> options,
                                                v8::Local<v8::Value> resource, v8::Local<v8::String> specifier,
                                                v8::Local<v8::FixedArray> assertions);

}  // namespace mb::worker
