// Secrets of an integration: texts by name, sealed together, never returned. Those of kHeaders are headers, named
// "headers/<name in lower case>".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "document/bson.h"
#include "integrations/integration_types.h"

namespace mb::integrations {

inline constexpr std::string_view kHeaders = "headers";
inline constexpr std::string_view kHeaderPrefix = "headers/";
inline constexpr size_t kMaxSecretBytes = 4096;  // of one secret

class Secrets {
 public:
  // "" if the secret is not set.
  std::string_view text(std::string_view name) const;
  const std::map<std::string, Secret, std::less<>>& all() const { return texts_; }
  void set(std::string name, Secret text) { texts_.insert_or_assign(std::move(name), std::move(text)); }
  void remove(std::string_view name);
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Secret, std::less<>> texts_;
};

// Whether a text holds control characters, line breaks included.
bool hasControls(std::string_view text);
// The number of names that are of headers.
size_t secretHeaderCount(const std::vector<std::string>& names);

// The changes of secrets in an input: new texts, and nullopt for those to remove. An input of "" leaves a secret
// unchanged.
struct SecretEdit {
  std::map<std::string, std::optional<Secret>, std::less<>> texts;
  bool dropsHeaders = false;  // removes all stored ones before those in `texts` are set

  bool empty() const { return texts.empty() && !dropsHeaders; }
  // Whether it sets or removes the stored secret `name`.
  bool decides(const std::string& name) const;
  void applyTo(Secrets& held) const;
};

// Reads the secrets of an input. Adds problems to `problems`, below "/secrets". `known`: the provider's secret names.
SecretEdit readSecrets(doc::DocumentView given, const std::vector<std::string>& known,
                       std::vector<ErrorDetail>& problems);

// The context that seals the secrets of an integration.
std::string sealContext(std::string_view project, std::string_view integrationId);

class SecretBox {
 public:
  explicit SecretBox(const MasterSecret& master) : master_(master) {}
  // Fails with internal where they were not sealed for this integration of this project.
  Result<Secrets> open(std::string_view project, const IntegrationRecord& record) const;
  // Stores the sealed text and the names in the record.
  void put(std::string_view project, const Secrets& secrets, IntegrationRecord& record) const;

 private:
  const MasterSecret& master_;
};

// {<name>: {configured}} for each of `known`; for kHeaders also their names.
doc::Document shownSecrets(const std::vector<std::string>& known, const std::vector<std::string>& held);

}  // namespace mb::integrations
