// Rules for integrations, their tests and calls.
#pragma once

#include "integrations/provider.h"
#include "variables/values.h"

namespace mb::integrations {

// Limit of one integration.
inline constexpr size_t kMaxTests = 20;
inline constexpr size_t kMaxTestBytes = 64 << 10;  // of all tests of one integration

// "^[a-z][a-z0-9-]{1,63}$", and not a part of a route.
bool isIntegrationName(std::string_view name);
// The rule as a message.
inline constexpr std::string_view kNameRule =
    "must be a lower-case letter, then 1 to 63 lower-case letters, digits or hyphens";

// Each adds its problems, with pointers relative to the integration. A field of the config that names a variable
// without a value can only be checked at its use.
void checkConfig(const Provider& provider, doc::DocumentView config, const variables::Values& values,
                 Problems& problems);
void checkTests(const Provider& provider, const std::vector<StoredTest>& tests, Problems& problems);
// Fails with validation, with pointers below "/args". On success `op` exists and `args` are valid for it.
Result<> checkCall(const Provider& provider, const IntegrationRecord& integration, std::string_view op,
                   doc::DocumentView args);

}  // namespace mb::integrations
