// `manybase variables list`, `set` and `rm`.
#include <algorithm>

#include "base/utf8.h"
#include "cli/configuration_sync.h"
#include "cli/terminal.h"

namespace mb::cli {

namespace {

constexpr size_t kMaxValue = 8 << 10;

struct Variable {
  std::string name;
  bool secret = false;
  std::optional<std::string> value;
  bool configured = false;
  static constexpr auto shape() {
    return doc::shape<Variable>("Variable", doc::field("name", &Variable::name),
                                doc::field("secret", &Variable::secret), doc::field("value", &Variable::value),
                                doc::field("configured", &Variable::configured));
  }
};
struct Variables {
  std::vector<Variable> variables;
  static constexpr auto shape() {
    return doc::shape<Variables>("Variables", doc::field("variables", &Variables::variables));
  }
};

// A line each: the name, and the value of a plain one.
std::string linesOf(const std::vector<Variable>& variables) {
  size_t width = 0;
  for (const Variable& each : variables) width = std::max(width, each.name.size());
  std::string out;
  for (const Variable& each : variables) {
    out += fmt::format("{:<{}}  {}\n", each.name, width,
                       !each.configured ? "(no value)" : each.value.value_or("(secret)"));
  }
  return out;
}

std::string routeOf(const std::string& name) {
  return "/variables/" + percentEncoded(name);
}

std::unexpected<Error> usageError(std::string line) {
  return fail(ErrorCode::invalidParam, std::move(line));
}

// The value of an option, of standard input, or of a prompt that does not show it; nullopt where none is given.
Result<std::optional<std::string>> valueIn(const Client& client) {
  const bool given = client.has("value");
  if (given && client.has("stdin")) return usageError("give the value with --value or with --stdin");
  if (given && client.has("secret")) {
    return usageError("a secret value is never an argument, which others can see: leave --value out, or use --stdin");
  }
  if (given) return client.value("value");
  if (client.has("stdin")) {
    TRY(std::string text, inputText("a value of at most 8 KiB", kMaxValue));
    if (!isUtf8(text)) return usageError("the value must be UTF-8 text");
    return text;
  }
  if (!client.has("secret")) return std::nullopt;
  std::optional<Terminal> terminal = Terminal::open();
  if (!terminal || !terminal->hide()) return usageError("there is no terminal for the value: give it with --stdin");
  auto text = terminal->ask("Value: ");
  if (!text || text->empty()) return usageError("no value was given");
  return text;
}

Outcome outcomeOf(const Session& session, const ProjectRef& project, const std::string& name, std::string text) {
  doc::BsonWriter result;
  appendProject(result, session, project);
  result.appendString("name", name);
  return Outcome{0, std::move(text), result.finish()};
}

}  // namespace

Result<Outcome> listVariables(Client& client) {
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef project, session->project());
  TRY(const doc::Document response, session->admin(project, {"GET", "/variables", "reading the variables"}));
  const auto listed = doc::decode<Variables>(response, doc::UnknownFields::ignore);
  if (!listed) {
    return fail(ErrorCode::upstreamFailed, "the server sent an unexpected response: it may be of another version");
  }
  doc::BsonWriter result;
  appendProject(result, *session, project);
  doc::encodeValue(result, "variables", listed->variables);
  return Outcome{0, listed->variables.empty() ? "no variables" : linesOf(listed->variables), result.finish()};
}

Result<Outcome> setVariable(Client& client) {
  if (client.has("secret") && client.has("plain")) return usageError("give --secret or --plain");
  const std::string name = client.value("name");
  TRY(const std::optional<std::string> value, valueIn(client));
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef project, session->project());
  doc::BsonWriter body;
  if (value) body.appendString("value", *value);
  if (client.has("secret") || client.has("plain")) body.appendBool("secret", client.has("secret"));
  if (client.has("move-secrets")) body.appendBool("moveSecrets", true);
  RETURN_IF_ERROR(session->admin(project, {"PUT", routeOf(name), "setting the variable", body.finish()}));
  return outcomeOf(*session, project, name, fmt::format("set {} of {}", name, project.shown()));
}

Result<Outcome> removeVariable(Client& client) {
  const std::string name = client.value("name");
  TRY(const std::unique_ptr<Session> session, client.session());
  TRY(const ProjectRef project, session->project());
  RETURN_IF_ERROR(session->admin(project, {"DELETE", routeOf(name), "deleting the variable"}));
  return outcomeOf(*session, project, name, fmt::format("deleted {} of {}", name, project.shown()));
}

}  // namespace mb::cli
