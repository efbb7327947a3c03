#include "outbound/client_fixture.h"

namespace mb::outbound {
namespace {

class TlsTest : public ClientFixture {
 protected:
  testing::Certificate certificate_{"DNS:localhost"};
  const HttpServer server_{[](const ReceivedRequest&) { return ok(); }, &certificate_};
  std::string url(std::string_view host) const { return server_.url("/", host, "https"); }
};

TEST_F(TlsTest, OnlyTrustedCertificates) {
  open({"127.0.0.0/8"});
  EXPECT_EQ(outcome(get(url("localhost"))), "failed");
  EXPECT_EQ(outcome(get(url("localhost"), Trust::deployment)), "failed");
  open({"127.0.0.0/8"}, certificate_.pem());
  EXPECT_EQ(outcome(get(url("localhost"))), "200");
  EXPECT_EQ(outcome(get(url("127.0.0.1"))), "failed");  // not a name of the certificate
}

TEST_F(TlsTest, PlainWhereTlsIsExpected) {
  const HttpServer plain([](const ReceivedRequest&) { return ok(); });
  open();
  Request request = requestTo(plain.url("/", "localhost", "https"), Trust::deployment);
  request.timeout = std::chrono::milliseconds(1000);
  const std::string got = outcome(send(request));
  EXPECT_TRUE(got == "failed" || got == "timed out") << got;
}

}  // namespace
}  // namespace mb::outbound
