#include "modules.h"

#include "bounds.h"
#include "engine.h"
#include "failure.h"

namespace mb::worker {

namespace {

constexpr std::string_view kNoImports = "There is nothing to import: a function is one module";

}  // namespace

bool Modules::load(std::string id, std::string source, std::string map) {
  modules_.erase(id);
  if (modules_.size() >= kMaxModules) return false;
  auto module = std::make_shared<Module>();
  module->source = std::move(source);
  module->map = std::move(map);
  modules_.emplace(std::move(id), std::move(module));
  return true;
}

std::shared_ptr<Module> Modules::find(const std::string& id) const {
  const auto found = modules_.find(id);
  return found == modules_.end() ? nullptr : found->second;
}

SourceMap positionsOf(v8::Local<v8::Context> context, const std::string& map) {
  if (map.empty()) return {};
  v8::Isolate* isolate = context->GetIsolate();
  const v8::HandleScope scope(isolate);
  const v8::TryCatch caught(isolate);
  v8::Local<v8::Value> parsed;
  v8::Local<v8::Value> mappings;
  if (!v8::JSON::Parse(context, text(isolate, map)).ToLocal(&parsed) || !parsed->IsObject() ||
      !parsed.As<v8::Object>()->Get(context, text(isolate, "mappings")).ToLocal(&mappings) || !mappings->IsString()) {
    return {};
  }
  return SourceMap(*v8::String::Utf8Value(isolate, mappings));
}

v8::MaybeLocal<v8::Module> compileModule(v8::Local<v8::Context> context, std::string_view source) {
  v8::Isolate* isolate = context->GetIsolate();
  const v8::ScriptOrigin origin(isolate, text(isolate, kCodeName), 0, 0, false, -1, {}, false, false, true);
  v8::ScriptCompiler::Source whole(text(isolate, source), origin);
  return v8::ScriptCompiler::CompileModule(isolate, &whole);
}

v8::MaybeLocal<v8::Module> refuseImport(v8::Local<v8::Context> context, v8::Local<v8::String>,
                                        v8::Local<v8::FixedArray>, v8::Local<v8::Module>) {
  v8::Isolate* isolate = context->GetIsolate();
  isolate->ThrowException(v8::Exception::TypeError(text(isolate, kNoImports)));
  return {};
}

v8::MaybeLocal<v8::Promise> refuseDynamicImport(v8::Local<v8::Context> context, v8::Local<v8::Data>,
                                                v8::Local<v8::Value>, v8::Local<v8::String>,
                                                v8::Local<v8::FixedArray>) {
  v8::Isolate* isolate = context->GetIsolate();
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return {};
  if (resolver->Reject(context, v8::Exception::TypeError(text(isolate, kNoImports))).IsNothing()) return {};
  return resolver->GetPromise();
}

}  // namespace mb::worker
