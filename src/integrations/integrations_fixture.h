// A project with integrations on an in-memory store, and scripted external services, for this module's tests.
#pragma once

#include "base/log.h"
#include "configuration/configuration_fixture.h"
#include "integrations/integration_kind.h"

namespace mb::integrations {

// Records requests and returns scripted responses; by default 200 with an empty body.
class Outside final : public outbound::Outbound {
 public:
  Task<outbound::Response> send(outbound::Request request) override {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(std::move(request));
    if (error_) co_return fail(error_->clone());
    co_return answer_;
  }
  Task<> mail(outbound::MailMessage message) override {
    const std::scoped_lock lock(mutex_);
    mails_.push_back(std::move(message));
    if (error_) co_return fail(error_->clone());
    co_return Result<>();
  }

  void answer(int status, std::vector<outbound::Header> headers, std::string body) {
    const std::scoped_lock lock(mutex_);
    answer_ = {status, std::move(headers), std::move(body), ""};
    error_.reset();
  }
  void answerJson(int status, std::string body) {
    answer(status, {{"content-type", "application/json"}}, std::move(body));
  }
  void refuse(Error error) {
    const std::scoped_lock lock(mutex_);
    error_.emplace(std::move(error));
  }
  size_t count() const {
    const std::scoped_lock lock(mutex_);
    return requests_.size() + mails_.size();
  }
  // The last request.
  outbound::Request request() const {
    const std::scoped_lock lock(mutex_);
    EXPECT_FALSE(requests_.empty());
    return requests_.empty() ? outbound::Request() : requests_.back();
  }
  outbound::MailMessage mail() const {
    const std::scoped_lock lock(mutex_);
    EXPECT_FALSE(mails_.empty());
    return mails_.empty() ? outbound::MailMessage() : mails_.back();
  }

 private:
  mutable std::mutex mutex_;
  outbound::Response answer_{200, {}, "", ""};
  std::optional<Error> error_;
  std::vector<outbound::Request> requests_;
  std::vector<outbound::MailMessage> mails_;
};

class IntegrationsFixture : public configuration::ConfigurationFixture {
 protected:
  IntegrationsFixture() {
    configureLog(LogLevel::off, LogFormat::text);
    configuration_->add(std::make_unique<IntegrationKind>(integrations_));
  }

  Access access() { return {admin(), snapshot(shop_), soon()}; }
  template <class T>
  static T decoded(std::string_view body) {
    auto value = doc::decode<T>(json(body));
    EXPECT_TRUE(value) << body << ": " << value.error().message();
    return *std::move(value);
  }
  Result<IntegrationView> create(std::string_view body) {
    return run(integrations_.create(access(), decoded<NewIntegration>(body)));
  }
  void created(std::string_view body) {
    const auto made = create(body);
    EXPECT_TRUE(made) << body << ": " << made.error().message();
  }
  Result<> change(std::string name, std::string_view body) {
    return run(integrations_.change(access(), std::move(name), decoded<IntegrationPatch>(body)));
  }
  std::string view(std::string_view name) {
    const auto found = integrations_.get(*snapshot(shop_), name);
    return found ? doc::toJson(doc::encode(*found)) : found.error().message();
  }
  // The result of a function's call as JSON, or the code and the message of its error.
  std::string called(std::string name, std::string op, std::string_view args = "{}") {
    auto answer =
        run(integrations_.call(snapshot(shop_), std::move(name), std::move(op), json(args), {.deadline = soon()}));
    return answer ? text(*answer) : said(answer.error());
  }
  static std::string text(doc::ValueView value) {
    std::string out;
    doc::writeJsonValue(out, value);
    return out;
  }
  static std::string said(const Error& error) {
    return fmt::format("{}: {}", meaningOf(error.code()).wire, error.message());
  }
  // The paths in an error's details.
  template <class T>
  static std::string pathsOf(const Result<T>& result) {
    if (result) return "";
    std::vector<std::string> paths;
    for (const ErrorDetail& each : result.error().details()) paths.push_back(each.path);
    return fmt::format("{}", fmt::join(paths, " "));
  }
  static std::string header(const outbound::Request& request, std::string_view name) {
    for (const outbound::Header& each : request.headers) {
      if (each.name == name) return each.value;
    }
    return "";
  }

  Outside outside_;
  Integrations integrations_{
      {store_, snapshots_, outside_, ids_, clock_, auditor_, master_, variables_, {}, "https://api.example.com"}};
};

}  // namespace mb::integrations
