#include "integrations/email_provider.h"

#include "mail/message.h"
#include "variables/reference.h"

namespace mb::integrations {

namespace {

constexpr int kImplicitPort = 465;
constexpr int kSubmissionPort = 587;

constexpr std::string_view kEmailCatalogue = R"json({
  "provider": "email",
  "label": "E-mail",
  "config": {
    "from": {"type": "string", "minLength": 3, "maxLength": 320, "required": true,
             "description": "sender, such as Example <hello@example.com>"},
    "host": {"type": "string", "minLength": 1, "maxLength": 255, "required": true, "description": "mail server"},
    "port": {"type": "integer", "minimum": 1, "maximum": 65535, "description": "587, or 465 where secure"},
    "secure": {"type": "boolean",
               "description": "TLS from the first byte; otherwise STARTTLS, always where there are credentials"}
  },
  "secrets": ["username", "password"],
  "ops": [{
    "name": "send",
    "args": {
      "to": {"required": true, "description": "an address, or up to 50",
             "anyOf": [{"type": "string"},
                       {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 50}]},
      "subject": {"type": "string", "maxLength": 500, "required": true},
      "text": {"type": "string", "maxLength": 1000000},
      "html": {"type": "string", "maxLength": 1000000},
      "replyTo": {"type": "string", "maxLength": 320}
    }
  }]
})json";

bool isSecure(doc::DocumentView config) {
  const auto secure = config.find("secure");
  return secure && secure->type() == doc::BsonType::boolean && secure->asBool();
}

int portOf(doc::DocumentView config) {
  const auto port = config.find("port");
  // A variable without a value may give it.
  if (port && port->isNumber()) return static_cast<int>(port->toInteger().value_or(0));
  return isSecure(config) ? kImplicitPort : kSubmissionPort;
}

outbound::SmtpServer serverOf(const Call& call) {
  const doc::DocumentView config = call.integration->config;
  outbound::SmtpServer server;
  server.host = textOr(config, "host");
  server.port = portOf(config);
  server.user = std::string(call.secrets.text("username"));
  server.password = Secret(std::string(call.secrets.text("password")));
  using Tls = outbound::SmtpServer::Tls;
  server.tls = isSecure(config) ? Tls::implicit : server.user.empty() ? Tls::ifOffered : Tls::required;
  return server;
}

std::vector<std::string> recipientsOf(doc::DocumentView args) {
  std::vector<std::string> all;
  const doc::ValueView to = *args.find("to");
  if (to.type() == doc::BsonType::string) return {std::string(to.asString())};
  for (const auto& [index, each] : to.asDocument()) all.emplace_back(each.asString());
  return all;
}

}  // namespace

EmailProvider::EmailProvider(outbound::Outbound& outbound, IdGenerator& ids, const Clock& clock)
    : Provider(kEmailCatalogue), outbound_(outbound), ids_(ids), clock_(clock) {}

void EmailProvider::checkConfig(doc::DocumentView config, Problems& problems) const {
  if (const auto from = mail::parseAddress(config.stringOr("from")); !from) {
    problems.push_back({"/config/from", from.error().message()});
  }
  const std::string_view host = config.stringOr("host");
  if (host.find_first_of("/?#@") != std::string_view::npos ||
      !outbound::originOf(fmt::format("http://{}:{}", host, portOf(config)))) {
    problems.push_back({"/config/host", "must be the name or the address of a host, without a port"});
  }
}

void EmailProvider::checkSecrets(const SecretEdit&, Problems&) const {}

std::string EmailProvider::secretsProblem(const std::vector<std::string>& held) const {
  return held.size() == 1 ? "needs both username and password, or neither" : "";
}

void EmailProvider::checkArguments(const IntegrationRecord&, std::string_view, doc::DocumentView args,
                                   Problems& problems) const {
  const std::vector<std::string> to = recipientsOf(args);
  for (size_t i = 0; i < to.size(); ++i) {
    const bool one = args.find("to")->type() == doc::BsonType::string;
    if (!mail::isAddress(to[i])) {
      problems.push_back({one ? "/args/to" : fmt::format("/args/to/{}", i), "is not a valid mail address"});
    }
  }
  if (hasControls(args.stringOr("subject"))) problems.push_back({"/args/subject", "must be one line"});
  if (args.stringOr("text").empty() && args.stringOr("html").empty()) {
    problems.push_back({"/args/text", "is required without html"});
  }
  if (args.find("replyTo") && !mail::parseAddress(args.stringOr("replyTo"))) {
    problems.push_back({"/args/replyTo", "is not a valid mail address"});
  }
}

std::string EmailProvider::destination(doc::DocumentView config) const {
  const std::string_view port = config.stringOr("port");
  return fmt::format("{}:{}", config.stringOr("host"), port.empty() ? std::to_string(portOf(config)) : port);
}

bool EmailProvider::followsVariable(doc::DocumentView config) const {
  const bool literalPort = config.find("port") && !variables::isReference(config.stringOr("port"));
  return !literalPort && variables::isReference(config.stringOr("host"));
}

Task<doc::Value> EmailProvider::call(Call call) {
  const doc::DocumentView args = call.arguments;
  const std::vector<std::string> to = recipientsOf(args);
  mail::Message message;
  CO_TRY(message.from, mail::parseAddress(call.integration->config.view().stringOr("from")));
  message.to.email = to.front();
  for (size_t i = 1; i < to.size(); ++i) message.alsoTo.push_back({"", to[i]});
  if (args.find("replyTo")) {
    CO_TRY(message.replyTo, mail::parseAddress(args.stringOr("replyTo")));
  }
  message.subject = textOr(args, "subject");
  message.text = textOr(args, "text");
  message.html = textOr(args, "html");
  message.date = clock_.now();
  message.id = ids_.next();
  outbound::MailMessage out;
  out.server = serverOf(call);
  out.trust = outbound::Trust::guarded;
  out.from = message.from.email;
  out.to = to;
  CO_TRY(out.data, mail::compose(message));
  out.timeout = call.timeout;
  out.connectTimeout = std::min(out.connectTimeout, call.timeout);
  out.keys = call.keys();
  out.aborted = call.aborted;
  CO_RETURN_IF_ERROR(co_await outbound_.mail(std::move(out)));
  doc::BsonWriter result;
  result.appendString("messageId", mail::messageIdOf(message));
  co_return valueOf(result.finish());
}

}  // namespace mb::integrations
