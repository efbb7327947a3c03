// Random functions, flows and integrations, in a random order where the order has no meaning. For this module's tests.
#pragma once

#include "configuration/random_configuration.h"

namespace mb::functions {

// A request body of an admin route.
struct Definition {
  enum class Kind { function, integration, integrationTests } kind;
  std::string name;  // of an integration
  std::string body;
};

// The same `seed` gives the same definitions; `order` decides all that does not change them: the order of fields and of
// steps, whether a default is written out, how a date is spelled, which secrets are stored.
class RandomFunctions : private configuration::RandomText {
 public:
  using RandomText::RandomText;

  std::vector<Definition> definitions() {
    std::vector<std::vector<Definition>> threads;
    for (size_t i = 0, count = below(5); i < count; ++i) {
      threads.push_back({{Definition::Kind::function, "", function(i)}});
    }
    for (const std::string provider : {"http", "bot", "email"}) {
      if (chance(2)) threads.push_back(integration(provider));
    }
    return mixed(std::move(threads));
  }

 private:
  static std::string quoted(std::string_view text) {
    std::string out;
    doc::writeJsonString(out, text);
    return out;
  }
  static std::string numbered(const char* name, size_t i) { return quoted(name + std::to_string(i)); }
  bool either() { return anyBelow(2) == 0; }
  void defaulted(Fields& fields, const char* name, const char* value) {
    if (either()) fields.emplace_back(name, value);
  }
  void enabled(Fields& fields) {
    if (chance(3)) {
      fields.emplace_back("enabled", "false");
    } else {
      defaulted(fields, "enabled", "true");
    }
  }
  // One time, in one of its notations.
  std::string date() {
    return either() ? R"({"$date":"2026-01-31T09:30:00.000Z"})" : R"({"$date":"2026-01-31T10:30:00+01:00"})";
  }
  // A value whose order has meaning: an argument of code, or a document.
  std::string value() {
    if (!chance(3)) return codeValue();
    return ordered({{"id", R"({"$oid":"507f1f77bcf86cd799439011"})"}, {"price", R"({"$numberDecimal":"10.50"})"}});
  }
  // A value that code can contain as a literal.
  std::string codeValue() {
    if (chance(2)) return "{}";
    if (chance(2)) return ordered({{"z", "1"}, {"at", date()}, {"a", "[{\"y\":1,\"b\":null}]"}});
    return ordered({{"n", "9007199254740991"}, {"f", "2.5"}, {"\u00e9t\u00e9", "\"Line\\nbreak \\\"quoted\\\"\""}});
  }

  // ---- functions
  std::string function(size_t i) {
    Fields fields{{"name", numbered("fn-", 9 - i)}};
    const bool onChanges = chance(3);
    fields.emplace_back("trigger", onChanges ? onDocuments() : trigger(i));
    const bool isHook = onChanges && chance(2);
    if (isHook) {
      fields.emplace_back("timing", "\"pre\"");
      fields.emplace_back("code", code());
    } else {
      defaulted(fields, "timing", "\"post\"");
      chance(2) ? fields.emplace_back("flow", flow()) : fields.emplace_back("code", code());
    }
    enabled(fields);
    if (chance(3)) fields.emplace_back("timeoutMs", one({"100", "2500", "60000"}));
    if (!isHook && chance(3)) fields.emplace_back("retry", object({{"attempts", "3"}, {"backoffSeconds", "60"}}));
    if (chance(2)) {
      fields.emplace_back("tests", tests());
    } else {
      defaulted(fields, "tests", "[]");
    }
    return object(std::move(fields));
  }

  std::string onDocuments() {
    std::vector<std::string> events;
    for (const char* event : {"insert", "update", "delete"}) {
      if (events.empty() || chance(2)) events.emplace_back(event);
    }
    return object({{"type", "\"database\""},
                   {"collection", one({"\"orders\"", "\"Posts\"", "\"not-there\""})},
                   {"events", set(std::move(events))}});
  }
  std::string trigger(size_t i) {
    switch (below(4)) {
      case 0:
        return object({{"type", "\"http\""},
                       {"method", one({"\"GET\"", "\"POST\"", "\"DELETE\""})},
                       {"path", numbered("/:of/x", i)}});
      case 1:
        return cronTrigger();
      case 2:
        return object({{"type", "\"auth\""}, {"event", "\"userCreated\""}});
      default:
        return object({{"type", "\"storage\""}, {"event", "\"fileUploaded\""}});
    }
  }
  std::string cronTrigger() {
    Fields fields{{"type", "\"cron\""}, {"schedule", one({"\"@daily\"", "\"*/15 1-3 * jan mon\""})}};
    if (chance(2)) fields.emplace_back("timezone", one({"\"UTC\"", "\"Europe/Zurich\""}));
    return object(std::move(fields));
  }
  std::string code() {
    const std::string text =
        one({"export default () => 1;", "\n\nexport default async (event: any) => `\u2028${event}`;",
             "// \"\\\n\texport default 1;\r\n\tlet a;", "export default () => 1;  "});
    return quoted(text + std::string(anyBelow(3), '\n'));
  }

  std::string tests() {
    std::string all;
    for (size_t i = 0, count = 1 + below(3); i < count; ++i) {
      Fields fields{{"name", numbered("case ", 5 - i)}, {"event", value()}, {"expect", expect()}};
      if (chance(3)) fields.emplace_back("auth", one({"null", R"({"uid":"user_1","role":"r"})"}));
      if (chance(2)) fields.emplace_back("seed", object({{"orders", "[" + value() + "]"}, {"Posts", "[{},{}]"}}));
      if (chance(2)) fields.emplace_back("stubs", object({{"mail.send", value()}, {"api.get", "null"}}));
      all += (i == 0 ? "" : ",") + object(std::move(fields));
    }
    return "[" + all + "]";
  }
  std::string expect() {
    Fields fields;
    if (chance(2)) fields.emplace_back("status", one({"\"error\"", "201"}));
    if (chance(2)) fields.emplace_back("result", value());
    if (chance(3)) fields.emplace_back("error", "\"no\"");
    if (chance(2)) fields.emplace_back("documents", object({{"orders", "[" + value() + "]"}, {"a-b", "[]"}}));
    if (chance(3)) fields.emplace_back("calls", "[" + value() + ",{}]");
    return object(std::move(fields));
  }

  // ---- flows: nodes one after another, a branch off each condition, one node in each forEach
  std::string flow() {
    std::vector<std::string> nodes{node("start", "trigger", {})};
    std::vector<std::string> edges;
    const auto lead = [&](const std::string& from, const std::string& to, const char* branch) {
      Fields edge{{"id", numbered("e", edges.size())}, {"source", "\"" + from + "\""}, {"target", "\"" + to + "\""}};
      if (*branch != '\0') {
        edge.emplace_back("branch", quoted(branch));
      } else {
        defaulted(edge, "branch", "null");
      }
      edges.push_back(object(std::move(edge)));
    };
    std::string last = "start";
    const char* way = "";
    for (size_t i = 0, count = 1 + below(6); i < count; ++i) {
      const std::string id = "n" + std::to_string(9 - i);
      lead(last, id, way);
      way = "";
      last = id;
      switch (below(10)) {
        case 0:
          nodes.push_back(node(id, "condition", {{"expression", "\"size(found) > 1\""}}));
          way = one({"true", "false"});
          break;
        case 1:
          nodes.push_back(node(id, "forEach", {{"items", "\"{{ found }}\""}, {"as", "\"each\""}}));
          nodes.push_back(node(id + "-in", "log", {{"message", "\"{{ each }}\""}}));
          lead(id, id + "-in", "each");
          way = "done";
          break;
        default:
          nodes.push_back(plainNode(id));
      }
    }
    // A node at an end needs an outgoing edge, of any branch.
    nodes.push_back(node("end", one({"stop", "respond"}), {}));
    lead(last, "end", way);
    nodes.push_back(node("found", "set", {{"values", ordered({{"found", "[]"}, {"a", "1"}, {"Z", "\"{{ a }}\""}})}}));
    return object({{"nodes", joined(nodes)}, {"edges", joined(withFound(std::move(edges)))}});
  }
  // Inserts a node that sets the variables, between the trigger and its successor.
  std::vector<std::string> withFound(std::vector<std::string> edges) {
    std::string& first = edges.front();
    const size_t source = first.find("\"start\"");
    first.replace(source, 7, "\"found\"");
    edges.push_back(object({{"id", "\"begin\""}, {"source", "\"start\""}, {"target", "\"found\""}}));
    return edges;
  }
  std::string plainNode(const std::string& id) {
    switch (below(8)) {
      case 0:
        return node(id, "set", {{"values", ordered({{"b", codeValue()}, {"a", "\"{{ found }} {{ b }}\""}})}});
      case 1:
        return node(id, "find",
                    {{"collection", "\"orders\""}, {"filter", codeValue()}, {"limit", "7"}, {"as", "\"found\""}});
      case 2:
        return node(id, "insert", {{"collection", "\"{{ a }}s\""}, {"document", codeValue()}});
      case 3:
        return node(id, "update", {{"collection", "\"orders\""}, {"update", ordered({{"$set", codeValue()}})}});
      case 4:
        return node(id, "delete", {{"collection", "\"orders\""}, {"filter", codeValue()}});
      case 5:
        return node(id, "integration",
                    {{"integration", "\"mail\""}, {"op", "\"send\""}, {"args", codeValue()}, {"as", "\"found\""}});
      case 6:
        return node(id, "code", {{"code", quoted("vars.a = 1;\n// \u20ac")}});
      default:
        return node(id, "log", {{"level", one({"\"warn\"", "\"debug\""})}, {"message", "\"{{ found }}\\n\""}});
    }
  }
  std::string node(const std::string& id, const char* type, Fields data) {
    Fields fields{{"id", "\"" + id + "\""}, {"type", quoted(type)}, {"data", object(std::move(data))}};
    if (chance(2)) fields.emplace_back("position", object({{"x", "1"}, {"y", "-2.5"}}));
    return object(std::move(fields));
  }
  static std::string joined(const std::vector<std::string>& all) {
    std::string out;
    for (const std::string& each : all) out += (out.empty() ? "" : ",") + each;
    return "[" + out + "]";
  }

  // ---- integrations: the order of fields never has a meaning, so values are created by object(), too
  std::vector<Definition> integration(const std::string& provider) {
    const std::string name = provider + "-out";
    Fields fields{{"name", quoted(name)}, {"provider", quoted(provider)}, {"config", config(provider)}};
    enabled(fields);
    if (either()) fields.emplace_back("secrets", secrets(provider));
    std::vector<Definition> steps{{Definition::Kind::integration, name, object(std::move(fields))}};
    if (chance(2)) steps.push_back({Definition::Kind::integrationTests, name, suite(provider)});
    return steps;
  }
  std::string config(const std::string& provider) {
    if (provider == "email") {
      Fields fields{{"from", "\"Shop <shop@example.com>\""}, {"host", "\"mail.example.com\""}};
      if (chance(2)) fields.emplace_back("secure", one({"true", "false"}));
      if (chance(2)) fields.emplace_back("port", "2525");
      return object(std::move(fields));
    }
    if (provider == "bot")
      return object({{"platform", one({"\"slack\"", "\"discord\""})}, {"defaultChannel", "\"77\""}});
    Fields fields{{"baseUrl", one({"\"https://api.example.com/v1\"", "\"https://a.example\""})}};
    if (chance(2)) fields.emplace_back("headers", object({{"x-b", "\"1\""}, {"x-a", "\"2\""}, {"accept", "\"*/*\""}}));
    if (chance(2)) fields.emplace_back("timeoutMs", "900");
    if (chance(3)) fields.emplace_back("allowPrivate", "true");
    return object(std::move(fields));
  }
  static std::string secrets(const std::string& provider) {
    if (provider == "email") return R"({"username":"very-secret","password":"very-secret"})";
    return provider == "bot" ? R"({"token":"very-secret"})" : R"({"authorization":"very-secret"})";
  }
  std::string suite(const std::string& provider) {
    const char* const op = provider == "email" ? "send" : provider == "bot" ? "getMe" : "post";
    std::string all;
    for (size_t i = 0, count = 1 + below(3); i < count; ++i) {
      Fields fields{{"name", numbered("t", 5 - i)}, {"op", quoted(op)}, {"expect", unordered()}};
      if (chance(2)) fields.emplace_back("args", object({{"path", "\"/x\""}, {"body", unordered()}}));
      if (chance(2)) fields.emplace_back("stub", one({"null", "1", "[{\"b\":1,\"c\":[]}]"}));
      all += (i == 0 ? "" : ",") + object(std::move(fields));
    }
    return object({{"tests", "[" + all + "]"}});
  }
  std::string unordered() {
    return object({{"status", "200"}, {"body", object({{"b", "[1,2]"}, {"a", "null"}})}, {"Z", "\"\""}});
  }
};

}  // namespace mb::functions
