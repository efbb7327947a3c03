// What a service of one kind is asked for, and how: a provider is a catalogue of its fields and operations, which both
// shows and judges them, and a way to make the call. One file each.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "document/schema.h"
#include "integrations/integration_types.h"
#include "integrations/secrets.h"
#include "outbound/outbound.h"

namespace mb::integrations {

using Problems = std::vector<ErrorDetail>;

// Named values, as the catalogue shows them: {<name>: <JSON Schema>}, with `required: true` on those that must be
// there.
class Fields {
 public:
  Fields() = default;
  // Text of the program's own; throws std::logic_error where it is none.
  explicit Fields(doc::DocumentView shown);
  // Adds what is wrong with `values`, below `pointer`. What is not in the catalogue is refused.
  void check(doc::DocumentView values, std::string_view pointer, Problems& problems) const;
  const doc::Document& shown() const { return shown_; }

 private:
  doc::Document shown_;
  std::shared_ptr<const doc::Schema> schema_;
};

struct Operation {
  std::string name;
  Fields args;
};

struct Catalogue {
  // {provider, label, config, secrets: [names], ops: [{name, args}]}, likewise of the program's own.
  explicit Catalogue(std::string_view json);
  // Null where there is none.
  const Operation* operation(std::string_view name) const;

  doc::Document shown;
  std::string provider;
  Fields config;
  std::vector<std::string> secrets;  // kHeaders is an object of texts, the others are texts
  std::vector<Operation> operations;
};

// One call, its arguments checked.
struct Call {
  ProjectId project;
  std::shared_ptr<const IntegrationRecord> integration;
  std::string op;
  doc::Document arguments;
  Secrets secrets;
  std::chrono::milliseconds timeout{};
  std::stop_token aborted;

  outbound::CallKeys keys() const { return {project.str(), "integration/" + integration->integrationId}; }
};

class Provider {
 public:
  explicit Provider(std::string_view catalogue) : catalogue_(catalogue) {}
  virtual ~Provider() = default;
  const Catalogue& catalogue() const { return catalogue_; }

  // What the catalogue cannot say of fields that are there and of their types; pointers begin at "/config", "/secrets"
  // and "/args".
  virtual void checkConfig(doc::DocumentView config, Problems& problems) const = 0;
  virtual void checkSecrets(const SecretEdit& given, Problems& problems) const = 0;
  // Of the secrets held once all is as it will be; "" or what is wrong with them.
  virtual std::string secretsProblem(const std::vector<std::string>& held) const;
  virtual void checkArguments(const IntegrationRecord& integration, std::string_view op, doc::DocumentView args,
                              Problems& problems) const = 0;
  // Where it leads, for the audit record: an origin or a name.
  virtual std::string destination(doc::DocumentView config) const = 0;
  // Fails with conflict (a secret that it takes is not there), upstreamFailed and its like (outbound.h), none of which
  // holds an address or a secret. Any core.
  virtual Task<doc::Value> call(Call call) = 0;

 private:
  const Catalogue catalogue_;
};

// A failure of validation with all of it; requires that there is some.
Error invalid(Problems problems);

// `value` on its own.
doc::Value valueOf(doc::DocumentView document);
// A text, or `fallback` where there is none.
std::string textOr(doc::DocumentView values, std::string_view key, std::string_view fallback = "");

}  // namespace mb::integrations
