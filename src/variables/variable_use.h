// The places where the resources of higher modules name variables. Each such module implements VariableUser.
#pragma once

#include "variables/values.h"

namespace mb::variables {

struct VariableUse {
  std::string field;  // "webhooks/orders/url"
  std::vector<std::string> names;
  bool sendsSecrets = false;  // the field decides where stored secrets are sent
};

class VariableUser {
 public:
  virtual ~VariableUser() = default;
  // The places of the project's resources that name variables, in any order.
  virtual std::vector<VariableUse> uses(const snapshot::ProjectSnapshot& project) const = 0;
  // The problems that the resources that name `name` have with `values`; paths are places.
  virtual Problems problemsWith(const snapshot::ProjectSnapshot& project, const Values& values,
                                std::string_view name) const = 0;
};

}  // namespace mb::variables
