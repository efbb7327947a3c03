// Input: an expression, then NUL and a document. The evaluation must end within its cost bound and must not crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "document/json.h"
#include "policy/cel/cel.h"

using namespace mb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // The document, as JSON or as BSON, follows the last NUL.
  const size_t cut = input.rfind('\0');
  const std::string_view source = input.substr(0, cut);
  const std::string_view rest = cut == std::string_view::npos ? std::string_view("{}") : input.substr(cut + 1);

  auto document = doc::parseJson(rest);
  if (!document)
    document = doc::parseJson(R"({"a": {"b": [1, 2.5, "x", null, true, {"c": 1}]}, "s": "text", "n": 7,
                                               "when": {"$date": "2026-01-01T00:00:00Z"}})");
  cel::Environment environment;
  environment.declarations = {{"document", "map", nullptr, {}},
                              {"now", "timestamp", nullptr, {}},
                              {"auth", "object", nullptr, {{"uid", "string?"}, {"token", "map"}}}};
  const auto expression = cel::Expression::compile(source, environment);
  if (!expression) return 0;
  std::vector<cel::Variable> variables(3);
  variables[0].name = "document";
  variables[0].value = document->view();
  variables[1].name = "now";
  variables[1].timestamp = Timestamp{1'769'851'800'000};
  variables[2].name = "auth";
  variables[2].value = document->view();
  (*expression)->test(variables);
  if (const auto result = (*expression)->evaluate(variables)) doc::toJson(*result);
  return 0;
}
