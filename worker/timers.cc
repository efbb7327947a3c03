#include "timers.h"

#include <algorithm>

#include "api/native.h"
#include "bounds.h"
#include "engine.h"
#include "guest.h"

namespace mb::worker {

namespace {

constexpr double kMaxDelay = 2147483647;

void setTimeout(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  if (!arguments[0]->IsFunction()) {
    isolate->ThrowException(v8::Exception::TypeError(text(isolate, "setTimeout takes a function")));
    return;
  }
  double delay = 0;
  if (arguments.Length() > 1 && !arguments[1]->NumberValue(isolate->GetCurrentContext()).To(&delay)) return;
  // Like the standard's conversion to a long, but values that are too large become the maximum.
  delay = delay > 0 ? std::min(delay, kMaxDelay) : 0;
  Timers::Timer timer{.function = {isolate, arguments[0].As<v8::Function>()}, .arguments = {}};
  for (int i = 2; i < arguments.Length(); ++i) timer.arguments.emplace_back(isolate, arguments[i]);
  const uint32_t id =
      Guest::of(isolate).timers.add(std::move(timer), std::chrono::milliseconds(static_cast<int64_t>(delay)));
  if (id == 0) {
    isolate->ThrowException(v8::Exception::RangeError(text(isolate, "Too many timers wait at the same time")));
    return;
  }
  arguments.GetReturnValue().Set(id);
}

void clearTimeout(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  uint32_t id = 0;
  if (arguments[0]->Uint32Value(isolate->GetCurrentContext()).To(&id)) Guest::of(isolate).timers.remove(id);
}

void queueMicrotask(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  if (!arguments[0]->IsFunction()) {
    isolate->ThrowException(v8::Exception::TypeError(text(isolate, "queueMicrotask takes a function")));
    return;
  }
  isolate->GetCurrentContext()->GetMicrotaskQueue()->EnqueueMicrotask(isolate, arguments[0].As<v8::Function>());
}

}  // namespace

uint32_t Timers::add(Timer timer, std::chrono::milliseconds delay) {
  if (timers_.size() >= kMaxTimers) return 0;
  if (++last_ == 0) ++last_;
  const SteadyTime at = std::chrono::steady_clock::now() + delay;
  timers_.emplace(std::pair(at, last_), std::move(timer));
  times_.emplace(last_, at);
  return last_;
}

void Timers::remove(uint32_t id) {
  const auto found = times_.find(id);
  if (found == times_.end()) return;
  timers_.erase({found->second, id});
  times_.erase(found);
}

std::optional<SteadyTime> Timers::next() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first.first);
}

std::optional<Timers::Timer> Timers::takeDue(SteadyTime now) {
  const auto first = timers_.begin();
  if (first == timers_.end() || first->first.first > now) return std::nullopt;
  times_.erase(first->first.second);
  return std::move(timers_.extract(first).mapped());
}

void addTimers(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> global) {
  addFunction(isolate, global, "setTimeout", setTimeout, v8::DontEnum);
  addFunction(isolate, global, "clearTimeout", clearTimeout, v8::DontEnum);
  addFunction(isolate, global, "queueMicrotask", queueMicrotask, v8::DontEnum);
}

}  // namespace mb::worker
