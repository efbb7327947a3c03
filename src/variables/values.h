// Values replaces references to variables by their values, at the save of a resource where they are known, and at each
// use.
#pragma once

#include <set>

#include "base/crypto.h"
#include "base/error.h"
#include "variables/reference.h"
#include "variables/variable_table.h"

namespace mb::variables {

// Limit of a text with its values; what it becomes may have a lower one.
inline constexpr size_t kMaxResolvedBytes = 32 << 10;

// Kinds of fields of resources, by the variables that they may name: plain ones, or secret ones too.
enum class FieldKind { plain, secret };

struct Resolution {
  std::string text;                    // a reference without a value stays
  std::vector<std::string> missing;    // variables without a value
  std::vector<std::string> misplaced;  // secret ones in a plain field
  bool tooLong = false;                // `text` is incomplete
};

using Problems = std::vector<ErrorDetail>;

class Values {
 public:
  // The table and the master secret outlive it. `project` is the project's id.
  Values(const VariableTable& table, std::string project, const MasterSecret& master)
      : table_(table), project_(std::move(project)), master_(master) {}
  // Treats `name` as secret, since an import makes it so.
  void makeSecret(std::string name) { madeSecret_.insert(std::move(name)); }

  bool isSecret(std::string_view name) const;
  // Whether `name` is secret, or may become so later, since the project does not have it.
  bool mayBeSecret(std::string_view name) const;
  bool hasValue(std::string_view name) const;

  Resolution resolve(std::string_view text, FieldKind kind) const;
  // The text for a use. Fails with conflict, naming the variable, where it cannot be used; no error holds a value.
  Result<std::string> textOf(std::string_view text, FieldKind kind) const;
  // The text for a check at save: nullopt where a value is missing, so that only a use can check it, or with a problem
  // at `path`.
  std::optional<std::string> known(std::string_view text, FieldKind kind, const std::string& path,
                                   Problems& problems) const;
  // The same for an absolute URL: further, its scheme, host and port come from authorityIn(`url`).
  std::optional<std::string> knownUrl(std::string_view url, const std::string& path, Problems& problems) const;
  // Fails as textOf(), and where scheme, host and port would not come from authorityIn(`url`).
  Result<std::string> urlOf(std::string_view url) const;

 private:
  bool keepsOrigin(std::string_view url, std::string_view resolved) const;

  const VariableTable& table_;
  const std::string project_;
  const MasterSecret& master_;
  std::set<std::string, std::less<>> madeSecret_;
};

// The error of a caller without variables:manage that lets a secret variable be sent.
Error needsManage(std::string_view name);
// The problem of a document that names variables without a value in the project: "names … which …".
std::string missingText(const std::vector<std::string>& names);

}  // namespace mb::variables
