#include "realm.h"

#include <string>

#include "boot/boot.h"
#include "engine.h"
#include "wire.h"

namespace mb::worker {

namespace {

constexpr const char* kBootName = "manybase:boot";

// One script that runs all boot scripts, and returns the result of the last one.
std::string bootSource() {
  std::string source = "(native) => { 'use strict'; const shared = { __proto__: null }; let last;";
  for (const BootScript& script : kBootScripts) {
    source += "\nlast = (";
    source += script.source;
    source += ")(native, shared);";
  }
  return source + "\nreturn last; }";
}

template <class T>
v8::Local<T> need(v8::MaybeLocal<T> value) {
  v8::Local<T> there;
  if (!value.ToLocal(&there)) endProcess(kEndedOutOfMemory, "out of memory: a context cannot be made");
  return there;
}

}  // namespace

Realms::Realms(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> native, v8::Local<v8::ObjectTemplate> global)
    : isolate_(isolate), native_(isolate, native), global_(isolate, global) {
  const v8::Local<v8::Context> context = v8::Context::New(isolate);
  const v8::Context::Scope entered(context);
  v8::ScriptOrigin origin(isolate, text(isolate, kBootName));
  v8::ScriptCompiler::Source source(text(isolate, bootSource()), origin);
  boot_.Reset(isolate, need(v8::ScriptCompiler::CompileUnboundScript(isolate, &source)));
}

Realm Realms::make() {
  Realm realm;
  realm.queue_ = v8::MicrotaskQueue::New(isolate_, v8::MicrotasksPolicy::kExplicit);
  const v8::HandleScope scope(isolate_);
  const v8::Local<v8::Context> context =
      v8::Context::New(isolate_, nullptr, global_.Get(isolate_), {}, {}, realm.queue_.get());
  if (context.IsEmpty()) endProcess(kEndedOutOfMemory, "out of memory: a context cannot be made");
  const v8::Context::Scope entered(context);
  context->AllowCodeGenerationFromStrings(false);
  context->SetErrorMessageForCodeGenerationFromStrings(
      text(isolate_, "eval and Function are not there: text does not become code"));

  const v8::Local<v8::Value> boot = need(boot_.Get(isolate_)->BindToCurrentContext()->Run(context));
  v8::Local<v8::Value> native[] = {need(native_.Get(isolate_)->NewInstance(context))};
  const v8::Local<v8::Value> bridge = need(boot.As<v8::Function>()->Call(context, v8::Undefined(isolate_), 1, native));
  realm.context_.Reset(isolate_, context);
  realm.bridge_.Reset(isolate_, bridge.As<v8::Function>());
  return realm;
}

}  // namespace mb::worker
