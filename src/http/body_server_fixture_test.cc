#include "http/body_server_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/crypto.h"

namespace mb::http {

namespace {

std::vector<size_t> numbersIn(std::string_view path) {
  std::vector<size_t> numbers;
  for (size_t at = path.find('/', 1); at != std::string_view::npos; at = path.find('/', at + 1)) {
    numbers.push_back(std::stoul(std::string(path.substr(at + 1))));
  }
  return numbers;
}

// How a source of two or more pieces ends early.
enum class Break { no, ends, fails, throws, atOnce, tooLong };

class TestSource final : public BodySource {
 public:
  TestSource(BodyService& service, size_t count, size_t bytes, Break how)
      : service_(service), count_(count), bytes_(bytes), how_(how) {
    ++service_.sources;
  }
  ~TestSource() override { --service_.sources; }

  uint64_t size() const override { return count_ * bytes_; }
  Task<std::string_view> read() override {
    ++service_.pieces;
    if (how_ == Break::atOnce) co_return fail(ErrorCode::upstreamFailed, "the store does not respond");
    if (given_ == 1 && how_ == Break::ends) co_return std::string_view();
    if (given_ == 1 && how_ == Break::fails) co_return fail(ErrorCode::upstreamFailed, "the store does not respond");
    if (given_ == 1 && how_ == Break::throws) throw std::runtime_error("a secret bug");
    co_await sleepFor(std::chrono::milliseconds(0));
    piece_ = pattern(bytes_ + (how_ == Break::tooLong ? 100 : 0), given_ * bytes_);
    ++given_;
    co_return std::string_view(piece_);
  }

 private:
  BodyService& service_;
  const size_t count_;
  const size_t bytes_;
  const Break how_;
  size_t given_ = 0;
  std::string piece_;
};

std::shared_ptr<const Descriptor> fileOf(size_t bytes) {
  Descriptor file(::memfd_create("body", MFD_CLOEXEC));
  const std::string text = pattern(bytes);
  EXPECT_EQ(::pwrite(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(bytes));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(2 * bytes)), 0);
  return std::make_shared<const Descriptor>(std::move(file));
}

ServerSettings onAnyPort(ServerSettings settings) {
  settings.port = 0;
  return settings;
}

}  // namespace

std::string pattern(size_t size, size_t from) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + ((from + i) * 2654435761 >> 7) % 26);
  return bytes;
}

std::string countOf(std::string_view body) {
  return fmt::format("{} bytes, {}", body.size(), std::hash<std::string_view>()(body));
}

BodyService::BodyService(size_t fileBytes) : file(fileOf(fileBytes)) {}

Result<size_t> BodyService::bodyLimit(const Request& head) {
  return head.method == Method::put ? kStreams : size_t{1} << 20;
}

Task<std::string> BodyService::readAll(BodyReader& body, size_t maxBytes) {
  std::string all;
  while (all.size() < maxBytes) {
    const Result<std::string_view> piece = co_await body.read();
    if (!piece) {
      ++failures;
      lastFailure = piece.error().code();
      const Result<std::string_view> again = co_await body.read();
      EXPECT_TRUE(!again && again.error().code() == piece.error().code()) << "later reads fail likewise";
      co_return fail(piece.error().clone());
    }
    if (piece->empty()) break;
    ++pieces;
    largest = std::max(largest.load(), piece->size());
    all += *piece;
  }
  co_return all;
}

Async<Response> BodyService::put(Request& request) {
  const std::string path(request.path);
  BodyReader& body = *request.stream;
  if (path == "/refused") co_return Response::failure(Error(ErrorCode::forbidden, "not for you"));
  if (path == "/size") {
    const auto size = body.size();
    co_return Response::text(200, "text/plain", size ? std::to_string(*size) : "unknown");
  }
  while (path == "/held" && !released_) co_await sleepFor(std::chrono::milliseconds(2));
  if (path.starts_with("/limit/")) body.setLimit(numbersIn(path)[0]);
  const bool some = path.starts_with("/some/");
  const Result<std::string> all = co_await readAll(body, some ? numbersIn(path)[0] : ~size_t{0});
  if (!all) co_return Response::failure(all.error());
  if (some) co_return Response::failure(Error(ErrorCode::forbidden, "that is enough"));
  const Result<std::string_view> behind = co_await body.read();
  EXPECT_TRUE(behind && behind->empty()) << "reads after the end are empty";
  EXPECT_EQ(request.path, path) << "the head has not moved";
  EXPECT_EQ(request.header("host"), "x");
  co_return Response::text(200, "text/plain", countOf(*all));
}

Response BodyService::partOf(size_t from, size_t bytes) const {
  Response response;
  response.status = 206;
  response.contentType = "application/json";
  response.file = {file, from, bytes};
  response.headers.emplace_back("content-range", fmt::format("bytes {}-{}/{}", from, from + bytes - 1, 1 << 21));
  return response;
}

Async<Response> BodyService::handle(Request& request) {
  ++handled;
  Response response;
  if (request.stream != nullptr) {
    response = co_await put(request);
    ++ended;
    co_return response;
  }
  const std::string_view path = request.path;
  const std::vector<size_t> numbers = numbersIn(path);
  if (path == "/plain") response = Response::text(200, "text/plain", "plain");
  if (path.starts_with("/file/")) response.file = {file, numbers[0], numbers[1]};
  if (path.starts_with("/part/")) response = partOf(numbers[0], numbers[1]);
  if (path == "/unchanged") response = Response::empty(304);
  if (path == "/unchanged") response.file = {file, 0, 1 << 20};
  const auto source = [this](size_t count, size_t bytes, Break how) {
    return std::make_shared<TestSource>(*this, count, bytes, how);
  };
  if (path.starts_with("/pieces/")) response.pieces = source(numbers[0], numbers[1], Break::no);
  if (path == "/ends") response.pieces = source(2, 1000, Break::ends);
  if (path == "/fails") response.pieces = source(2, 1000, Break::fails);
  if (path == "/throws") response.pieces = source(2, 1000, Break::throws);
  if (path == "/never") response.pieces = source(2, 1000, Break::atOnce);
  if (path == "/long") response.pieces = source(1, 1000, Break::tooLong);
  ++ended;
  co_return response;
}

BodyServer::BodyServer(ServerSettings settings, size_t fileBytes)
    : cores((initCrypto(), 1)), service(fileBytes), server(onAnyPort(std::move(settings)), cores, service) {
  if (const auto listening = server.listen(); !listening) throw std::runtime_error(listening.error().message());
  cores.start();
}

BodyServer::~BodyServer() {
  service.release();
  server.drain(std::chrono::seconds(5));
  cores.stop();
  cores.join();
}

std::string put(std::string_view path, std::string_view body, std::string_view headers) {
  return fmt::format("PUT {} HTTP/1.1\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}", path, headers, body.size(), body);
}

std::string putChunked(std::string_view path, std::string_view body, size_t chunk) {
  std::string out = fmt::format("PUT {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", path);
  for (size_t at = 0; at < body.size(); at += chunk) {
    const std::string_view piece = body.substr(at, chunk);
    out += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  return out + "0\r\n\r\n";
}

std::string getFrom(std::string_view path) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", path);
}

}  // namespace mb::http
