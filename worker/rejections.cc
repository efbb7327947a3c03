#include "rejections.h"

#include <algorithm>

#include "bounds.h"
#include "guest.h"

namespace mb::worker {

void Rejections::watch(v8::Isolate* isolate) {
  isolate->SetPromiseRejectCallback(onReject);
}

void Rejections::onReject(v8::PromiseRejectMessage message) {
  const v8::Local<v8::Promise> promise = message.GetPromise();
  v8::Isolate* isolate = promise->GetIsolate();
  Rejections& all = Guest::of(isolate).rejections;
  if (message.GetEvent() == v8::kPromiseHandlerAddedAfterReject) {
    all.forget(promise);
  } else if (message.GetEvent() == v8::kPromiseRejectWithNoHandler && all.open_.size() < kMaxRejections) {
    all.open_.push_back({{isolate, promise}, {isolate, message.GetValue()}});
  }
}

void Rejections::handled(v8::Local<v8::Promise> promise) {
  promise->MarkAsHandled();
  forget(promise);
}

void Rejections::forget(v8::Local<v8::Promise> promise) {
  const auto found = std::ranges::find_if(open_, [&](const Open& each) { return each.promise == promise; });
  if (found != open_.end()) open_.erase(found);
}

std::vector<v8::Global<v8::Value>> Rejections::take() {
  std::vector<v8::Global<v8::Value>> reasons;
  for (Open& each : open_) reasons.push_back(std::move(each.reason));
  open_.clear();
  return reasons;
}

}  // namespace mb::worker
