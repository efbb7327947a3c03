// Projects with random configurations, built by the services that the admin routes call. For this module's tests.
#pragma once

#include "configuration/configuration_fixture.h"
#include "configuration/random_configuration.h"

namespace mb::configuration {

class RandomConfigurationFixture : public ConfigurationFixture {
 protected:
  explicit RandomConfigurationFixture(const std::vector<store::SystemCollection>& more = {})
      : ConfigurationFixture(more) {
    mode_.skipTests = true;
  }

  store::ProjectNo made(uint32_t seed, uint32_t order) {
    const store::ProjectNo number = project();
    for (const Step& step : RandomConfiguration(seed, order).steps()) make(number, step);
    return number;
  }

  void make(store::ProjectNo project, const Step& step) {
    data::Collections& collections = data_->collections();
    const policy::Caller caller = admin();
    const snapshot::SnapshotPtr now = snapshot(project);
    const data::AdminAccess access{caller, now};
    switch (step.kind) {
      case Step::Kind::collection:
        return expectOk(run(collections.create(access, step.name)), step);
      case Step::Kind::schema:
        return expectOk(run(collections.setSchema(access, step.name, json(step.body))), step);
      case Step::Kind::policy:
      case Step::Kind::defaultPolicy:
        return expectOk(run(collections.setPolicy(access, step.name, json(step.body))), step);
      case Step::Kind::policyTests: {
        std::vector<data::PolicyTest> tests;
        std::vector<ErrorDetail> problems;
        doc::decodeValue(tests, *json(step.body).view().find("tests"), "", doc::UnknownFields::refuse, problems);
        EXPECT_TRUE(problems.empty()) << step.body;
        return expectOk(run(collections.setPolicyTests(access, step.name, std::move(tests))), step);
      }
      case Step::Kind::index:
        return expectOk(run(collections.createIndex(access, step.name, *doc::decode<data::NewIndex>(json(step.body)))),
                        step);
      case Step::Kind::role:
      case Step::Kind::endUserRole: {
        const auto kind = step.kind == Step::Kind::role ? identity::RoleKind::member : identity::RoleKind::endUser;
        auto held = doc::decode<identity::RolePermissions>(json(step.body));
        return expectOk(run(identity_.roles().create(project, kind, {step.name, held->permissions}, caller, soon())),
                        step);
      }
      case Step::Kind::provider:
        return expectOk(
            run(identity_.oauthConfigs().setProvider(
                now, step.name, *doc::decode<identity::OauthProviderBody>(json(step.body)), caller, soon())),
            step);
      case Step::Kind::redirects:
        return expectOk(run(identity_.oauthConfigs().setRedirects(
                            now->info(), *doc::decode<identity::OauthRedirectsBody>(json(step.body)), caller, soon())),
                        step);
    }
  }

 private:
  template <class T>
  void expectOk(const Result<T>& result, const Step& step) {
    EXPECT_TRUE(result) << step.name << " " << step.body << ": " << result.error().message();
  }
};

}  // namespace mb::configuration
