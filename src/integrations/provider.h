// A provider of one kind of service: a catalogue of its fields and operations, which is both documentation and
// validation, and the implementation of the call. One file each.
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

// Named values in the form of the catalogue: {<name>: <JSON Schema>}, with `required: true` on the required ones.
class Fields {
 public:
  Fields() = default;
  // For constant text of the program; throws std::logic_error if it is invalid.
  explicit Fields(doc::DocumentView shown);
  // Adds the problems of `values`, below `pointer`. Fields that are not in the catalogue are refused.
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
  // {provider, label, config, secrets: [names], ops: [{name, args}]}, also constant text of the program.
  explicit Catalogue(std::string_view json);
  // Null for an unknown name.
  const Operation* operation(std::string_view name) const;

  doc::Document shown;
  std::string provider;
  Fields config;
  std::vector<std::string> secrets;  // kHeaders is an object of texts, the others are texts
  std::vector<Operation> operations;
};

// One call with validated arguments.
struct Call {
  ProjectId project;
  std::shared_ptr<const IntegrationRecord> integration;
  std::string op;
  doc::Document arguments;
  Secrets secrets;
  std::chrono::milliseconds timeout{};
  std::stop_token aborted;
  std::string trace = {};  // the trace context of the run (base/trace_context.h), or ""

  outbound::CallKeys keys() const { return {project.str(), "integration/" + integration->integrationId}; }
};

class Provider {
 public:
  explicit Provider(std::string_view catalogue) : catalogue_(catalogue) {}
  virtual ~Provider() = default;
  const Catalogue& catalogue() const { return catalogue_; }

  // Checks beyond the catalogue's fields and types; pointers begin at "/config", "/secrets" and "/args".
  virtual void checkConfig(doc::DocumentView config, Problems& problems) const = 0;
  virtual void checkSecrets(const SecretEdit& given, Problems& problems) const = 0;
  // Checks the names of the secrets after a change; "" or the problem.
  virtual std::string secretsProblem(const std::vector<std::string>& held) const;
  virtual void checkArguments(const IntegrationRecord& integration, std::string_view op, doc::DocumentView args,
                              Problems& problems) const = 0;
  // The destination of the calls, for the audit record and for comparisons: an origin or a name. Of a config that names
  // variables where they decide it, the text with its references.
  virtual std::string destination(doc::DocumentView config) const = 0;
  // Whether variables alone decide the destination: scheme, host and port come whole from one.
  virtual bool followsVariable(doc::DocumentView config) const;
  // Fails with conflict (a secret that it needs is missing), upstreamFailed and similar codes (outbound.h); no error
  // holds an address or a secret. Any core.
  virtual Task<doc::Value> call(Call call) = 0;

 private:
  const Catalogue catalogue_;
};

// A validation error with all problems. REQUIRES: !problems.empty().
Error invalid(Problems problems);

// Copies the document as a value.
doc::Value valueOf(doc::DocumentView document);
// A text, or `fallback` if absent.
std::string textOr(doc::DocumentView values, std::string_view key, std::string_view fallback = "");

}  // namespace mb::integrations
