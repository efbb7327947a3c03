// Users with an authenticator app, for tests that involve a second factor.
#pragma once

#include <map>

#include "identity/identity_fixture.h"
#include "identity/totp.h"

namespace mb::identity {

class MfaFixture : public IdentityFixture {
 protected:
  // A registered user and the secret in their app.
  struct Person {
    Realm realm;
    UserId id;
    std::string secret;  // plain bytes; of the newest enrollment
    std::vector<std::string> recovery;
  };

  Person person(const std::string& email) { return person(shop(), email); }
  Person person(Realm realm, const std::string& email) {
    Person who = unverified(std::move(realm), email);
    UserPatch verified;
    verified.emailVerified = true;
    EXPECT_TRUE(run(identity_.users().patch(who.realm, who.id, std::move(verified), admin(), soon())));
    return who;
  }
  Person unverified(Realm realm, const std::string& email) {
    auto user = registerIn(realm, email);
    EXPECT_TRUE(user);
    return {std::move(realm), user->id, "", {}};
  }
  Person withFactor(const std::string& email) { return withFactor(shop(), email); }
  // Activated with the code of the step before, so that the current one is unused.
  Person withFactor(Realm realm, const std::string& email) {
    Person who = person(std::move(realm), email);
    EXPECT_EQ(enroll(who), "");
    EXPECT_EQ(activate(who, totp(who, -1)), "");
    return who;
  }

  // The code of the step `offset` steps from now.
  std::string totp(const Person& who, int64_t offset) const {
    return hotp(who.secret, clock_.now().ms / kStepMs + offset);
  }
  // Six digits that are not a code of any step near.
  std::string wrongCode(const Person& who) const {
    for (int number = 100'000;; ++number) {
      std::string code = std::to_string(number);
      bool near = false;
      for (int64_t offset = -3; offset <= 3; ++offset) near = near || totp(who, offset) == code;
      if (!near) return code;
    }
  }
  static policy::Caller callerOf(const Person& who) {
    policy::Caller caller;
    caller.kind = who.realm.control ? policy::CallerKind::platform : policy::CallerKind::endUser;
    caller.id = who.id.str();
    caller.ip = "203.0.113.9";
    caller.requestId = "req-9";
    return caller;
  }
  static policy::Caller stranger() {
    policy::Caller caller;
    caller.ip = "203.0.113.10";
    return caller;
  }

  // Each returns the code of the error, or "".
  std::string enroll(Person& who) {
    auto enrollment = run(identity_.mfa().enroll(who.realm, who.id, "Shop", soon()));
    if (enrollment) who.secret = fromBase32(enrollment->secret);
    return codeOf(enrollment);
  }
  std::string activate(Person& who, const std::string& code) {
    auto codes = run(identity_.mfa().activate(who.realm, code, callerOf(who), soon()));
    if (codes) who.recovery = codes->recoveryCodes;
    return codeOf(codes);
  }
  std::string disable(const Person& who, const std::string& code) {
    return codeOf(run(identity_.mfa().disable(who.realm, code, callerOf(who), soon())));
  }
  std::string reset(const Realm& realm, const UserId& user) {
    return codeOf(run(identity_.mfa().reset(realm, user, admin(), soon())));
  }
  // The mfaToken of a sign-in with a valid first factor.
  std::string challenge(const Person& who) {
    auto token = run(identity_.mfa().challenge(who.realm, stored(who), soon()));
    EXPECT_TRUE(token);
    return token.value_or("");
  }
  std::string verify(const Realm& realm, const std::string& token, const std::string& code) {
    return codeOf(run(identity_.mfa().verify(realm, {token, code}, stranger(), soon())));
  }
  std::string verify(const Person& who, const std::string& code) { return verify(who.realm, challenge(who), code); }

  // Runs them concurrently: how many ended with each code.
  using Outcomes = std::map<std::string, int>;
  template <class T>
  Outcomes outcomesOf(std::vector<Task<T>> tasks) {
    Outcomes outcomes;
    for (const auto& result : runAll(std::move(tasks))) ++outcomes[codeOf(result)];
    return outcomes;
  }

  UserRecord stored(const Person& who) { return **run(identity_.users().get(who.realm, who.id)); }
  std::optional<doc::Document> factorOf(const Person& who) const {
    for (const auto& factor : store_.all({who.realm.project, kSecondFactors, 0})) {
      if (factor.view().stringOr("id") == who.id.str()) return factor;
    }
    return std::nullopt;
  }

  static constexpr int64_t kStepMs = 30'000;

 private:
  static std::string fromBase32(std::string_view text) {
    std::string bytes;
    uint32_t kept = 0;
    int bits = 0;
    for (const char c : text) {
      kept = kept << 5 | static_cast<uint32_t>(c >= 'A' ? c - 'A' : c - '2' + 26);
      bits += 5;
      if (bits < 8) continue;
      bits -= 8;
      bytes += static_cast<char>(kept >> bits & 0xFF);
    }
    return bytes;
  }
};

}  // namespace mb::identity
