// Random configurations of projects, each in any order that has no meaning. For this module's tests.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "document/json.h"

namespace mb::configuration {

// Random JSON: `seed` determines the content, `order` the order that has no meaning (of fields, of sets).
class RandomText {
 public:
  RandomText(uint32_t seed, uint32_t order) : content_(seed), order_(order) {}

 protected:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(content_); }
  bool chance(size_t oneIn) { return below(oneIn) == 0; }
  const char* one(std::vector<const char*> of) { return of[below(of.size())]; }

  // ---- order without meaning
  size_t anyBelow(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(order_); }
  std::string object(Fields fields) {
    std::ranges::shuffle(fields, order_);
    return ordered(fields);
  }
  std::string set(std::vector<std::string> names) {
    std::ranges::shuffle(names, order_);
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "\"" : ",\"") + name + "\"";
    return "[" + out + "]";
  }
  // Merges the threads of steps; each thread keeps its order.
  template <class T>
  std::vector<T> mixed(std::vector<std::vector<T>> threads) {
    std::erase_if(threads, [](const auto& each) { return each.empty(); });
    std::vector<T> steps;
    while (!threads.empty()) {
      auto& thread = threads[anyBelow(threads.size())];
      steps.push_back(std::move(thread.front()));
      thread.erase(thread.begin());
      std::erase_if(threads, [](const auto& each) { return each.empty(); });
    }
    return steps;
  }
  // ---- order that is part of the configuration
  static std::string ordered(const Fields& fields) {
    std::string out;
    for (const auto& [key, value] : fields) {
      if (!out.empty()) out += ",";
      doc::writeJsonString(out, key);
      out += ":" + value;
    }
    return "{" + out + "}";
  }

  std::mt19937 content_;
  std::mt19937 order_;
};

// One step in building a configuration: a kind of thing, its collection if it has one, and its JSON.
struct Step {
  enum class Kind {
    collection,
    schema,
    policy,
    policyTests,
    index,
    defaultPolicy,
    role,
    endUserRole,
    provider,
    redirects
  } kind;
  std::string name;
  std::string body;
};

// The same `seed` gives the same configuration; `order` determines everything that is not part of it: the order of
// fields, of sets and of independent steps.
class RandomConfiguration : private RandomText {
 public:
  using RandomText::RandomText;

  std::vector<Step> steps() {
    const std::vector<std::string> known = {"orders", "Posts", "a", "a-b", "z_9", "Zoo", "line-items", "people"};
    std::vector<std::string> names(known.begin(), known.begin() + below(known.size() + 1));
    std::vector<std::vector<Step>> threads;
    for (const std::string& name : names) threads.push_back(collection(name, names));
    if (chance(3)) threads.push_back({{Step::Kind::defaultPolicy, "*", policy(false)}});
    for (const Step::Kind kind : {Step::Kind::role, Step::Kind::endUserRole}) {
      const size_t roles = below(4);
      for (size_t i = 0; i < roles; ++i) threads.push_back({{kind, "role" + std::to_string(7 - i), permissions()}});
    }
    for (const std::string provider : {"google", "github", "oidc-work"}) {
      if (chance(2)) threads.push_back({{Step::Kind::provider, provider, providerBody(provider)}});
    }
    if (chance(2)) threads.push_back({{Step::Kind::redirects, "", redirects()}});
    // A schema refers to collections that exist.
    std::vector<Step> all;
    std::vector<Step> mixture = mixed(std::move(threads));
    for (const bool collections : {true, false}) {
      for (Step& step : mixture) {
        if ((step.kind == Step::Kind::collection) == collections) all.push_back(std::move(step));
      }
    }
    return all;
  }

 private:
  // ---- kinds of things
  std::vector<Step> collection(const std::string& name, const std::vector<std::string>& names) {
    std::vector<Step> steps{{Step::Kind::collection, name, ""}};
    std::vector<Step> more;
    if (chance(2)) more.push_back({Step::Kind::schema, name, schema(names, 2)});
    if (chance(2)) more.push_back({Step::Kind::policy, name, policy(chance(3))});
    if (chance(3)) more.push_back({Step::Kind::policyTests, name, policyTests()});
    for (size_t i = 0, count = below(4); i < count; ++i) more.push_back({Step::Kind::index, name, index(i)});
    std::ranges::shuffle(more, order_);
    std::ranges::move(more, std::back_inserter(steps));
    return steps;
  }

  std::string schema(const std::vector<std::string>& names, int depth) {
    Fields properties;
    std::vector<std::string> required;
    for (const char* field : {"title", "count", "at", "owner", "tags", "\u00e9t\u00e9", "clientSecret"}) {
      if (chance(2)) continue;
      properties.emplace_back(field, property(names, depth));
      if (chance(2)) required.emplace_back(field);
    }
    Fields fields{{"type", chance(3) ? set({"object"}) : "\"object\""}, {"properties", object(std::move(properties))}};
    if (!required.empty()) fields.emplace_back("required", set(std::move(required)));
    if (chance(3)) fields.emplace_back("title", "\"Line\\nbreak \\\"quoted\\\"\"");
    return object(std::move(fields));
  }

  std::string reference(const std::string& to) {
    const std::string name = "\"" + to + "\"";
    if (below(2) == 0) return name;
    return object({{"collection", name}, {"check", one({"\"exists\"", "\"readable\""})}});
  }

  std::string property(const std::vector<std::string>& names, int depth) {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0:
        return object({{"type", set({"string", "null"})}, {"maxLength", "80"}, {"pattern", "\"^[a-z]+\""}});
      case 1:
        return object({{"type", "\"integer\""}, {"minimum", one({"0", "-5", "2.5", "9007199254740993"})}});
      case 2:
        return object({{"type", "\"string\""}, {"enum", "[\"open\",\"closed\",\"late\"]"}});
      case 3:
        return object({{"type", "\"string\""}, {"x-bson", "\"date\""}});
      case 4:
        return object({{"type", "\"string\""}, {"x-ref", reference(names[below(names.size())])}});
      case 5:
        return object({{"const", object({{"b", "1"}, {"a", "{\"$date\":\"2026-01-31T09:30:00.000Z\"}"}})}});
      case 6:
        return object({{"type", "\"array\""}, {"items", property(names, depth - 1)}, {"maxItems", "9"}});
      default:
        return schema(names, depth - 1);
    }
  }

  std::string policy(bool isPublic) {
    Fields rules;
    for (const char* operation : {"read", "list", "create", "update", "delete", "admin"}) {
      if (!chance(3)) rules.emplace_back(operation, rule(operation));
    }
    if (isPublic) {
      const std::string open = object({{"filter", object({{"state", "\"open\""}, {"kind", "{\"$in\":[2,1]}"}})}});
      rules.emplace_back("public", object({{"list", open}, {"create", "{\"validate\":\"auth == null\"}"}}));
    }
    return object(std::move(rules));
  }

  std::string policyTests() {
    std::string tests;
    for (size_t i = 0, count = 1 + below(3); i < count; ++i) {
      Fields fields{{"name", "\"test " + std::to_string(i) + "\""},
                    {"caller", one({R"({"anonymous":true})", R"({"role":"user","claims":{"b":1,"a":[true]}})"})},
                    {"operation", "\"read\""},
                    {"document", R"({"z":{"$date":"2026-01-31T09:30:00Z"},"clientSecret":"x"})"},
                    {"expect", one({"\"hidden\"", "\"denied\""})}};
      if (chance(2)) fields.emplace_back("given", R"({"orders":[{"id":"o"}]})");
      tests += (tests.empty() ? "" : ",") + object(std::move(fields));
    }
    return "{\"tests\":[" + tests + "]}";
  }

  std::string rule(std::string_view operation) {
    Fields keys;
    if (!chance(3)) keys.emplace_back("filter", filter());
    const bool reads = operation == "read" || operation == "list";
    if (reads && chance(2)) keys.emplace_back("deniedReadFields", set({"secret", "notes.inner", "cost"}));
    if (operation == "update" && chance(2)) keys.emplace_back("immutableFields", set({"kind", "serial"}));
    if (operation == "create" && chance(2)) keys.emplace_back("validate", "\"auth.uid != ''\"");
    return object(std::move(keys));
  }

  std::string filter() {
    Fields clauses{{"ownerId", "\"$auth.uid\""}};
    if (chance(2)) clauses.emplace_back("state", object({{"$in", "[\"b\",\"a\"]"}, {"$exists", "true"}}));
    if (chance(2)) clauses.emplace_back("place", ordered({{"y", "2"}, {"x", "1.5"}}));
    if (chance(3)) clauses.emplace_back("$or", "[" + object({{"f", "1"}, {"e", "2"}}) + ",{\"d\":3}]");
    if (chance(3)) clauses.emplace_back("id", "{\"$ne\":{\"$oid\":\"507f1f77bcf86cd799439011\"}}");
    if (chance(3)) clauses.emplace_back("price", "{\"$gt\":{\"$numberDecimal\":\"10.50\"}}");
    return object(std::move(clauses));
  }

  std::string index(size_t i) {
    Fields keys{{"f" + std::to_string(i), one({"1", "-1"})}};
    if (chance(2)) keys.emplace_back("nested.e", "1");
    Fields fields{{"keys", ordered(keys)}};
    if (chance(3)) fields.emplace_back("name", "\"byHand" + std::to_string(i) + "\"");
    if (chance(3)) {
      fields.emplace_back("unique", one({"true", "false"}));
    } else if (chance(4)) {
      fields.emplace_back("covering", one({"true", "false"}));
    } else if (chance(3)) {
      fields.emplace_back("include", one({R"(["g"])", R"(["h.i","g"])", "[]"}));
    }
    if (chance(4)) {
      fields.emplace_back("sparse", "true");
    } else if (chance(3)) {
      fields.emplace_back("partialFilter", object({{"live", "true"}, {"kind", "{\"$in\":[1,2]}"}}));
    }
    if (keys.size() == 1 && chance(3)) fields.emplace_back("expireAfterSeconds", "3600");
    return object(std::move(fields));
  }

  std::string permissions() {
    std::vector<std::string> held;
    for (const char* each : {"data:orders:read", "roles:read", "data:*:list", "audit:read", "collections:manage"}) {
      if (chance(2)) held.emplace_back(each);
    }
    return object({{"permissions", set(std::move(held))}});
  }

  std::string providerBody(const std::string& provider) {
    Fields fields{{"clientId", one({"\"abc\"", "\"client.apps\""})}, {"enabled", one({"true", "false"})}};
    if (provider.starts_with("oidc-")) fields.emplace_back("issuer", "\"https://issuer.example.com/realm\"");
    return object(std::move(fields));
  }

  std::string redirects() {
    return object({{"allowedRedirects", set({"https://app.example.com", "http://localhost:3000"})}});
  }
};

}  // namespace mb::configuration
