#include "checker.h"

#include "bounds.h"
#include "stripper.h"

namespace mb::worker {

namespace {

using clone::FailReason;

Failure refusal(std::string message, Position at) {
  return {.reason = FailReason::notLoadable, .message = std::move(message), .stack = {}, .at = at};
}

uint32_t numberAt(v8::Local<v8::Context> context, v8::Local<v8::Value> object, const char* name) {
  v8::Local<v8::Value> value;
  if (!object->IsObject()) return 0;
  if (!object.As<v8::Object>()->Get(context, text(context->GetIsolate(), name)).ToLocal(&value)) return 0;
  return value->Uint32Value(context).FromMaybe(0);
}

std::string textAt(v8::Local<v8::Context> context, v8::Local<v8::Value> object, const char* name) {
  v8::Isolate* isolate = context->GetIsolate();
  v8::Local<v8::Value> value;
  if (!object->IsObject() || !object.As<v8::Object>()->Get(context, text(isolate, name)).ToLocal(&value)) return {};
  if (!value->IsString()) return {};
  const v8::String::Utf8Value words(isolate, value);
  return *words == nullptr ? std::string() : std::string(*words, static_cast<size_t>(words.length()));
}

// The error of a JS module that imports, or exports from, another one.
std::optional<Failure> importIn(v8::Local<v8::Context> context, v8::Local<v8::Module> module,
                                const SourceMap& positions) {
  const v8::Local<v8::FixedArray> requests = module->GetModuleRequests();
  if (requests->Length() == 0) return std::nullopt;
  const auto request = requests->Get(context, 0).As<v8::ModuleRequest>();
  v8::Location place = module->SourceOffsetToLocation(request->GetSourceOffset());
  return refusal("There is nothing to import: a function is one module (types alone can be imported, by import type)",
                 positions.original({.line = static_cast<uint32_t>(place.GetLineNumber()) + 1,
                                     .column = static_cast<uint32_t>(place.GetColumnNumber()) + 1}));
}

bool exportsDefault(v8::Local<v8::Context> context, v8::Local<v8::Module> module) {
  v8::Local<v8::Array> names;
  if (!module->GetModuleNamespace().As<v8::Object>()->GetOwnPropertyNames(context, v8::SKIP_SYMBOLS).ToLocal(&names)) {
    return false;
  }
  const v8::Local<v8::String> wanted = text(context->GetIsolate(), "default");
  for (uint32_t i = 0; i < names->Length(); ++i) {
    v8::Local<v8::Value> name;
    if (names->Get(context, i).ToLocal(&name) && name->StrictEquals(wanted)) return true;
  }
  return false;
}

}  // namespace

Checker::Checker(Engine& engine, Guest& guest, Realms& realms, Runner& runner)
    : guest_(guest), realms_(realms), runner_(runner), isolate_(engine.isolate()) {}

void Checker::check(uint64_t run, const std::string& source, bool typescript, bool runs) {
  Code code{.text = source, .map = {}};
  std::optional<Failure> failure = runner_.guarded(kMaxCheck, true, [&]() -> std::optional<Failure> {
    if (typescript) {
      if (std::optional<Failure> wrong = strip(code)) return wrong;
    }
    return compile(code, runs);
  });
  if (failure && failure->reason == FailReason::timedOut) {
    failure->message = "The check takes too long";
    // An interrupted library may be in an inconsistent state.
    stripper_.Reset();
    stripperRealm_.reset();
  }
  clone::Writer frame = guest_.wire.begin(failure ? clone::FrameKind::refused : clone::FrameKind::checked);
  frame.u64(run);
  if (failure) {
    frame.byte(static_cast<uint8_t>(failure->reason));
    frame.u32(failure->at.line);
    frame.u32(failure->at.column);
    frame.text(failure->message);
  } else {
    frame.text(code.text);
    frame.text(code.map);
  }
  guest_.wire.end();
  guest_.wire.flush();
}

std::optional<Failure> Checker::loadStripper() {
  stripperRealm_.emplace(realms_.make());
  const v8::Local<v8::Context> context = stripperRealm_->context(isolate_);
  const v8::Context::Scope entered(context);
  const v8::TryCatch caught(isolate_);
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> function;
  v8::ScriptOrigin origin(isolate_, text(isolate_, "manybase:stripper"));
  if (!v8::Script::Compile(context, text(isolate_, kStripper), &origin).ToLocal(&script) ||
      script->Run(context).IsEmpty() ||
      !context->Global()->Get(context, text(isolate_, "stripTypes")).ToLocal(&function) || !function->IsFunction()) {
    stripperRealm_.reset();
    return refusal("TypeScript cannot be read here", {});
  }
  stripper_.Reset(isolate_, function.As<v8::Function>());
  return std::nullopt;
}

std::optional<Failure> Checker::strip(Code& code) {
  if (stripper_.IsEmpty()) {
    if (std::optional<Failure> failure = loadStripper()) return failure;
  }
  const v8::Local<v8::Context> context = stripperRealm_->context(isolate_);
  const v8::Context::Scope entered(context);
  const v8::TryCatch caught(isolate_);
  v8::Local<v8::Value> source[] = {text(isolate_, code.text)};
  v8::Local<v8::Value> stripped;
  if (!stripper_.Get(isolate_)->Call(context, v8::Undefined(isolate_), 1, source).ToLocal(&stripped)) {
    // Also for errors of the library itself.
    return refusal("The types cannot be stripped from this", {});
  }
  const std::string problem = textAt(context, stripped, "problem");
  if (!problem.empty()) {
    return refusal(problem,
                   {.line = numberAt(context, stripped, "line"), .column = numberAt(context, stripped, "column")});
  }
  code.text = textAt(context, stripped, "code");
  code.map = textAt(context, stripped, "map");
  return std::nullopt;
}

std::optional<Failure> Checker::compile(const Code& code, bool runs) {
  Realm realm = realms_.make();
  const v8::Local<v8::Context> context = realm.context(isolate_);
  const v8::Context::Scope entered(context);
  const v8::TryCatch caught(isolate_);
  v8::Local<v8::Module> module;
  if (!compileModule(context, code.text).ToLocal(&module)) {
    Failure failure = describe(context, caught, positionsOf(context, code.map));
    constexpr std::string_view kName = "SyntaxError: ";
    if (failure.message.starts_with(kName)) failure.message.erase(0, kName.size());
    // The engine's name of an anonymous default export.
    if (failure.message.starts_with("Identifier '.default'")) failure.message = "Duplicate export of 'default'";
    return failure;
  }
  if (std::optional<Failure> failure = importIn(context, module, positionsOf(context, code.map))) return failure;
  if (!module->InstantiateModule(context, refuseImport).FromMaybe(false))
    return describe(context, caught, positionsOf(context, code.map));
  if (!exportsDefault(context, module)) return refusal("There is no default export: the handler is one", {});
  if (!runs) return std::nullopt;
  Runner::Evaluated evaluated = runner_.evaluate(realm, module, code.map);
  if (auto* failure = std::get_if<Failure>(&evaluated)) return std::move(*failure);
  return std::nullopt;
}

}  // namespace mb::worker
