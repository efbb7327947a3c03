// Tables of expressions and their values, evaluated in one worker.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "worker_fixture.h"

namespace mb::worker {

struct Expression {
  const char* code;   // an expression, or statements that return
  const char* gives;  // toText(), or Outcome::summary()
};

inline void expectEach(std::span<const Expression> cases) {
  TestWorker worker;
  for (const Expression& c : cases) {
    const std::string code = c.code;
    const bool statements = code.find("return ") != std::string::npos && !code.starts_with("(");
    EXPECT_EQ(evaluated(worker, statements ? code : "return (" + code + "\n);"), c.gives) << code;
  }
}

}  // namespace mb::worker
