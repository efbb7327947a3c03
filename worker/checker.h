// Code before it is saved: whether it is a module that can run, and what of it runs. Nothing of it is evaluated unless
// that is asked for.
#pragma once

#include <optional>
#include <string>

#include "realm.h"
#include "runner.h"

namespace mb::worker {

class Checker {
 public:
  Checker(Engine& engine, Guest& guest, Realms& realms, Runner& runner);

  // Answers with `checked` or `refused`.
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
  // The library that strips types, once it was wanted: a context of its own, which sees nothing but text.
  std::optional<Realm> stripperRealm_;
  v8::Global<v8::Function> stripper_;
};

}  // namespace mb::worker
