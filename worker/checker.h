// A Checker checks code before it is saved: it strips types and compiles it as a JS module. The code is evaluated only
// if the request has `runs` set.
#pragma once

#include <optional>
#include <string>

#include "realm.h"
#include "runner.h"

namespace mb::worker {

class Checker {
 public:
  Checker(Engine& engine, Guest& guest, Realms& realms, Runner& runner);

  // Sends `checked` or `refused`.
  void check(uint64_t run, const std::string& source, bool typescript, bool runs);

 private:
  struct Code {
    std::string text;
    std::string map;
  };
  std::optional<Failure> strip(Code& code);
  std::optional<Failure> compile(const Code& code, bool runs);
  std::optional<Failure> loadStripper();

  Guest& guest_;
  Realms& realms_;
  Runner& runner_;
  v8::Isolate* isolate_;
  // The library that strips types, loaded at its first use, in a context of its own that gets only text.
  std::optional<Realm> stripperRealm_;
  v8::Global<v8::Function> stripper_;
};

}  // namespace mb::worker
