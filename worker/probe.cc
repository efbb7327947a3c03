// A worker with an additional function for system calls, as code could make them that has escaped from the engine. Only
// for tests.
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "api/native.h"
#include "program.h"

namespace mb::worker {

namespace {

// probe(number, …): a system call; its result, or minus its error. Text and buffers are passed as addresses.
void probe(const Arguments& arguments) {
  v8::Isolate* isolate = arguments.GetIsolate();
  std::array<long, 7> words{};
  std::array<std::string, 7> texts;
  for (int i = 0; i < arguments.Length() && i < 7; ++i) {
    if (arguments[i]->IsString()) {
      texts[i] = *v8::String::Utf8Value(isolate, arguments[i]);
      words[i] = reinterpret_cast<long>(texts[i].c_str());
    } else if (const auto bytes = bytesOf(arguments[i])) {
      words[i] = reinterpret_cast<long>(bytes->data());
    } else {
      words[i] = static_cast<long>(arguments[i]->IntegerValue(isolate->GetCurrentContext()).FromMaybe(0));
    }
  }
  const long result = syscall(words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
  arguments.GetReturnValue().Set(static_cast<double>(result < 0 ? -errno : result));
}

void addProbe(v8::Isolate* isolate, v8::Local<v8::ObjectTemplate> global) {
  addFunction(isolate, global, "probe", probe);
}

}  // namespace

}  // namespace mb::worker

int main(int count, char** words) {
  return mb::worker::runProgram(count, words, mb::worker::addProbe);
}
