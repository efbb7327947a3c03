#include "configuration/configuration_copier.h"

namespace mb::configuration {

Task<std::vector<std::string>> ConfigurationCopier::clone(Side from, Side to, store::Deadline deadline) {
  return configuration_.copy(std::move(from.project), {std::move(to.caller), std::move(to.project), deadline});
}

Task<doc::Document> ConfigurationCopier::promote(Side from, Side to, projects::ImportMode mode,
                                                 store::Deadline deadline) {
  CO_TRY(doc::Document shape, co_await configuration_.configurationOf(std::move(from.project)));
  Target target{std::move(to.caller), std::move(to.project), deadline};
  if (mode.dryRun) {
    co_return co_await configuration_.plan(std::move(target), std::move(shape), std::move(mode));
  }
  co_return co_await configuration_.import(std::move(target), std::move(shape), std::move(mode));
}

}  // namespace mb::configuration
