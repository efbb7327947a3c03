// Secrets of an integration: texts by name, sealed together, never given back. Those of kHeaders are headers, named
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
inline constexpr size_t kMaxSecretBytes = 4096;  // of one

class Secrets {
 public:
  // "" where it is not held.
  std::string_view text(std::string_view name) const;
  const std::map<std::string, Secret, std::less<>>& all() const { return texts_; }
  void set(std::string name, Secret text) { texts_.insert_or_assign(std::move(name), std::move(text)); }
  void remove(std::string_view name);
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Secret, std::less<>> texts_;
};

// How many of the names are those of headers.
size_t secretHeaderCount(const std::vector<std::string>& names);

// What an input says of secrets: new texts, and nothing for those to be taken away. One that is "" stays as it is.
struct SecretEdit {
  std::map<std::string, std::optional<Secret>, std::less<>> texts;
  bool dropsHeaders = false;  // all that are held, before those in `texts` are set

  bool empty() const { return texts.empty() && !dropsHeaders; }
  // Whether it says what becomes of the secret that is held under `name`.
  bool decides(const std::string& name) const;
  void applyTo(Secrets& held) const;
};

// `given` as an input has it. Adds what is wrong to `problems`, below "/secrets". `known`: the names that there are.
SecretEdit readSecrets(doc::DocumentView given, const std::vector<std::string>& known,
                       std::vector<ErrorDetail>& problems);

// What the sealed value of an integration is bound to.
std::string sealContext(std::string_view project, std::string_view integrationId);

class SecretBox {
 public:
  explicit SecretBox(const MasterSecret& master) : master_(master) {}
  // Fails with internal where they were not sealed for this integration of this project.
  Result<Secrets> open(std::string_view project, const IntegrationRecord& record) const;
  // Into the record: the sealed text and the names.
  void put(std::string_view project, const Secrets& secrets, IntegrationRecord& record) const;

 private:
  const MasterSecret& master_;
};

// {<name>: {configured}} for each of `known`; of kHeaders their names, too.
doc::Document shownSecrets(const std::vector<std::string>& known, const std::vector<std::string>& held);

}  // namespace mb::integrations
