#include "app/command_socket.h"

#include <sys/stat.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <set>

#include "app/command_job.h"
#include "base/descriptor.h"
#include "base/log.h"
#include "base/task_group.h"
#include "base/worker_pool.h"
#include "cli/socket_address.h"

namespace mb::app {

namespace {

using Protocol = asio::local::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Protocol, Executor>;

constexpr size_t kMaxConnections = 16;
constexpr int kThreads = 4;
constexpr size_t kMaxWaiting = 8;
constexpr std::chrono::seconds kRequestLimit{5};
constexpr std::chrono::seconds kWriteLimit{10};
constexpr std::chrono::seconds kMaxSilence{1};
constexpr std::chrono::seconds kStopLimit{30};
constexpr std::string_view kFreshName = "control.sock.new";

}  // namespace

struct CommandSocket::Impl {
  explicit Impl(Deployment& served) : deployment(served), acceptor(served.cores.at(0)) {}

  Async<void> accept();
  Async<void> serve(ConnectionPtr connection);
  Async<bool> readRequest(ConnectionPtr connection);
  Async<bool> send(ConnectionPtr connection, cli::Message message);
  Async<void> follow(ConnectionPtr connection, std::shared_ptr<CommandJob> job);
  Async<void> watch(ConnectionPtr connection, std::shared_ptr<CommandJob> job);
  Result<std::shared_ptr<CommandJob>> begin(std::string_view line);
  cli::Message perform(const Command& command, const cli::Arguments& arguments, Progress& progress);
  void forget(const Command& command, CommandJob& job);

  Deployment& deployment;
  Acceptor acceptor;
  TaskGroup tasks;
  WorkerPool pool{"commands", kThreads, kMaxWaiting};
  // Used on the first core only.
  size_t connections = 0;
  std::set<ConnectionPtr> reading;  // those whose request has not arrived
  bool listening = false;
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::set<CommandJob*> jobs;
  std::set<std::string_view> running;  // names of the exclusive ones
};

CommandSocket::CommandSocket(Deployment& deployment) : impl_(std::make_unique<Impl>(deployment)) {}

CommandSocket::~CommandSocket() = default;

Result<> CommandSocket::listen() {
  const auto refused = [&](std::string_view what) {
    return fail(ErrorCode::internal, fmt::format("the command socket cannot be {}: {}", what, std::strerror(errno)));
  };
  const std::filesystem::path& directory = impl_->deployment.directory;
  TRY(const cli::SocketAddress fresh, cli::SocketAddress::of(directory, kFreshName));
  TRY(const cli::SocketAddress final, cli::SocketAddress::of(directory));
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) return refused("made");
  // Renamed to its final name only once its mode is set and it listens.
  ::unlink(fresh.path());
  if (::bind(socket.get(), fresh.get(), fresh.size()) != 0) return refused("bound");
  if (::chmod(fresh.path(), 0600) != 0) return refused("protected");
  if (::listen(socket.get(), kMaxConnections) != 0) return refused("opened");
  if (::rename(fresh.path(), final.path()) != 0) return refused("renamed");
  boost::system::error_code error;
  impl_->acceptor.assign(Protocol(), socket.get(), error);
  if (error) return fail(ErrorCode::internal, "the command socket cannot be used: " + error.message());
  socket.release();
  impl_->listening = true;
  impl_->tasks.spawn(impl_->deployment.cores.at(0).get_executor(), impl_->accept());
  return {};
}

void CommandSocket::stop() {
  Impl& impl = *impl_;
  impl.stopping = true;
  const auto address = cli::SocketAddress::of(impl.deployment.directory);
  if (address && impl.listening) ::unlink(address->path());
  asio::post(impl.deployment.cores.at(0), [&impl] {
    boost::system::error_code done;
    impl.acceptor.close(done);
    for (const ConnectionPtr& connection : impl.reading) connection->close();
  });
  {
    const std::lock_guard lock(impl.mutex);
    for (CommandJob* job : impl.jobs) job->stop();
  }
  impl.pool.stop();
  if (!impl.tasks.closeAndWait(kStopLimit)) logWarn("command connection did not end in time");
}

Async<void> CommandSocket::Impl::accept() {
  while (acceptor.is_open()) {
    boost::system::error_code error;
    CommandConnection::Socket socket = co_await acceptor.async_accept(asio::redirect_error(useAwaitable, error));
    if (stopping) co_return;
    if (error) {
      // For example out of descriptors: may be temporary.
      co_await sleepFor(kBetweenLooks);
      continue;
    }
    if (connections >= kMaxConnections) continue;
    tasks.spawn(acceptor.get_executor(), serve(std::make_shared<CommandConnection>(std::move(socket))));
  }
}

Async<void> CommandSocket::Impl::serve(ConnectionPtr connection) {
  ++connections;
  reading.insert(connection);
  const bool read = co_await readRequest(connection);
  reading.erase(connection);
  if (read) {
    auto job = begin(connection->request);
    if (job) {
      tasks.spawn(acceptor.get_executor(), watch(connection, *job));
      co_await follow(connection, *job);
    } else {
      co_await send(connection, cli::failureOf(job.error()));
    }
  }
  connection->close();
  --connections;
}

Async<bool> CommandSocket::Impl::readRequest(ConnectionPtr connection) {
  CommandConnection::arm(connection, kRequestLimit);
  boost::system::error_code error;
  co_await asio::async_read_until(connection->socket, asio::dynamic_buffer(connection->request, cli::kMaxRequest), '\n',
                                  asio::redirect_error(useAwaitable, error));
  connection->disarm();
  if (!error) co_return true;
  if (error == asio::error::not_found) {
    co_await send(connection, cli::failureOf(Error(ErrorCode::invalidBody, "the command is too long")));
  }
  co_return false;
}

Async<bool> CommandSocket::Impl::send(ConnectionPtr connection, cli::Message message) {
  std::string line = cli::encodeMessage(message);
  if (line.size() > cli::kMaxMessage) {
    line = cli::encodeMessage(cli::failureOf(Error(ErrorCode::payloadTooLarge, "the result is too large to be sent")));
  }
  CommandConnection::arm(connection, kWriteLimit);
  boost::system::error_code error;
  co_await asio::async_write(connection->socket, asio::buffer(line), asio::redirect_error(useAwaitable, error));
  connection->disarm();
  co_return !error;
}

// Sends the steps as they come, and the result.
Async<void> CommandSocket::Impl::follow(ConnectionPtr connection, std::shared_ptr<CommandJob> job) {
  cli::Step lastSent;
  auto lastSentAt = std::chrono::steady_clock::now();
  while (true) {
    co_await job->wait();
    std::optional<cli::Message> ending = job->ending();
    if (ending) {
      co_await send(connection, *std::move(ending));
      co_return;
    }
    const cli::Step step = job->step();
    const auto now = std::chrono::steady_clock::now();
    if (step == lastSent && now - lastSentAt < kMaxSilence) continue;
    lastSent = step;
    lastSentAt = now;
    if (!connection->socket.is_open()) continue;
    const bool sent = co_await send(connection, step);
    if (!sent) job->stop();
  }
}

// The program sends nothing after its request: any read event means that it has closed the connection.
Async<void> CommandSocket::Impl::watch(ConnectionPtr connection, std::shared_ptr<CommandJob> job) {
  boost::system::error_code error;
  connection->ignored.resize(1);
  co_await connection->socket.async_read_some(asio::buffer(connection->ignored),
                                              asio::redirect_error(useAwaitable, error));
  job->stop();
}

Result<std::shared_ptr<CommandJob>> CommandSocket::Impl::begin(std::string_view line) {
  TRY(cli::Request request, cli::decodeRequest(line));
  const Command* command = findCommand(request.command);
  if (!command || !command->run) {
    return fail(ErrorCode::notFound,
                fmt::format("the running server ({}) does not support this command", deployment.version));
  }
  RETURN_IF_ERROR(checkArguments(*command, request.arguments));
  const auto job = std::make_shared<CommandJob>(acceptor.get_executor());
  {
    const std::lock_guard lock(mutex);
    if (stopping) return fail(ErrorCode::unavailable, "the server is stopping");
    if (command->exclusive && !running.insert(command->name).second) {
      return fail(ErrorCode::conflict, fmt::format("{} is running already: wait until it ends", command->name));
    }
    jobs.insert(job.get());
  }
  const bool taken = pool.submit([this, job, command, arguments = std::move(request.arguments)] {
    cli::Message ending = perform(*command, arguments, *job);
    forget(*command, *job);
    job->end(std::move(ending));
  });
  if (taken) return job;
  forget(*command, *job);
  return fail(ErrorCode::unavailable, "too many commands run already: try again");
}

void CommandSocket::Impl::forget(const Command& command, CommandJob& job) {
  const std::lock_guard lock(mutex);
  jobs.erase(&job);
  if (command.exclusive) running.erase(command.name);
}

cli::Message CommandSocket::Impl::perform(const Command& command, const cli::Arguments& arguments, Progress& progress) {
  logInfo("command started", {{"command", command.name}});
  cli::Message ending;
  try {
    auto outcome = command.run(deployment, arguments, progress);
    ending = outcome ? cli::Message(*std::move(outcome)) : cli::Message(cli::failureOf(outcome.error()));
  } catch (const std::exception& bug) {
    ending = cli::failureOf(Error(ErrorCode::internal, "something went wrong on the server").withCause(bug.what()));
  }
  const auto* failure = std::get_if<cli::Failure>(&ending);
  logInfo("command ended", {{"command", command.name}, {"failure", failure ? std::string_view(failure->message) : ""}});
  return ending;
}

}  // namespace mb::app
