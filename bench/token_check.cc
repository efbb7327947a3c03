// Measures the authentication of a caller whose token is cached: CPU time of one thread, best of several rounds.
#include <ctime>

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

constexpr int kChecks = 1'000'000;
constexpr int kRounds = 5;

double cpuSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class TokenCheck final : public IdentityFixture {
 public:
  void TestBody() override {
    const std::string token = signIn(shop(), "ann@example.com").token;
    if (!identify(token)) std::abort();
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      best = std::min(best, *run(rounds(identity_.authenticator(), token)));
    }
    fmt::print("cached token check: {:.3f} us of CPU\n", best / kChecks * 1e6);
  }

 private:
  static Task<double> rounds(Authenticator& authenticator, std::string token) {
    const double began = cpuSeconds();
    for (int i = 0; i < kChecks; ++i) {
      if (!authenticator.cachedProject(token)) std::abort();
    }
    co_return cpuSeconds() - began;
  }
};

}  // namespace
}  // namespace mb::identity

int main() {
  mb::identity::TokenCheck().TestBody();
}
