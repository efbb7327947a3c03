#include "http/server.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <list>
#include <semaphore>

#include "base/log.h"
#include "base/task_group.h"
#include "http/client_watch.h"
#include "http/connection.h"
#include "http/socket_core.h"
#include "http/websocket_connection.h"

namespace mb::http {

namespace {

using Tcp = asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<Tcp, Executor>;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr size_t kCompressionQueue = 64;
constexpr int kFileReaders = 4;
constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr int64_t kAcceptWarningTicks = 10;  // a lasting shortage is logged at most once per so many ticks
constexpr std::chrono::seconds kLastWait{1};

std::string peerOf(const Socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return {};
  const auto address = endpoint.address();
  // A listener on "::" sees IPv4 clients as mapped addresses; limits and logs use the plain form.
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

// State that all cores of a server share. Coroutines hold it, so that it outlives the last of them.
struct Shared {
  Shared(const ServerSettings& s, Service& service_)
      : settings(s),
        service(service_),
        compression("gzip", 1, kCompressionQueue),
        files("files", kFileReaders, s.maxConnections) {}

  const ServerSettings settings;
  Service& service;
  WorkerPool compression;
  WorkerPool files;  // a connection waits for one read at a time: never full
  std::atomic<bool> draining{false};
  std::atomic<size_t> open{0};
  TaskGroup conversations;
  TaskGroup loops;
  std::counting_semaphore<> stoppedAccepting{0};
};

// One core's listener and its connections; used by that core only.
struct Listener {
  Listener(asio::io_context& c, std::shared_ptr<Shared> s, size_t socketMemory)
      : core(c),
        shared(std::move(s)),
        acceptor(c),
        ticker(c),
        watch(c),
        context{shared->settings, shared->service, shared->compression, shared->files, shared->draining, watch},
        sockets(std::make_shared<SocketCore>(c, shared->settings, socketMemory)) {}

  asio::io_context& core;
  const std::shared_ptr<Shared> shared;
  Acceptor acceptor;
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor> ticker;
  ClientWatch watch;
  ConnectionContext context;
  const std::shared_ptr<SocketCore> sockets;
  std::list<Conversation*> connections;
  int64_t warnedAt = -kAcceptWarningTicks;
};
using ListenerPtr = std::shared_ptr<Listener>;
using CancellationPtr = std::shared_ptr<asio::cancellation_signal>;

// Registers a conversation with the sweep and the drain for its lifetime.
class Registration {
 public:
  Registration(Listener& listener, Conversation& conversation)
      : listener_(listener), position_(listener.connections.insert(listener.connections.end(), &conversation)) {}
  ~Registration() { listener_.connections.erase(position_); }
  Registration(const Registration&) = delete;

 private:
  Listener& listener_;
  const std::list<Conversation*>::iterator position_;
};

Async<std::optional<Upgraded>> serveHttp(ListenerPtr listener, Socket socket, CancellationPtr cancellation) {
  std::string peer = peerOf(socket);
  Connection connection(std::move(socket), std::move(peer), listener->context, *cancellation);
  const Registration registration(*listener, connection);
  try {
    co_await connection.run();
  } catch (const std::exception& bug) {
    logError("a connection failed", {{"cause", bug.what()}});
  }
  co_return connection.takeUpgraded();
}

Async<void> serveWebSocket(ListenerPtr listener, Upgraded upgraded) {
  const auto connection =
      std::make_shared<WebSocketConnection>(std::move(upgraded.socket), *upgraded.terms, listener->sockets);
  upgraded.terms.reset();
  const Registration registration(*listener, *connection);
  co_await connection->run(std::move(upgraded.early));
}

// The buffers of HTTP are freed before the WebSocket begins.
Async<void> serveConnection(ListenerPtr listener, Socket socket, CancellationPtr cancellation) {
  // A cancelled operation returns an error; the coroutine then ends by itself.
  co_await asio::this_coro::throw_if_cancelled(false);
  std::optional<Upgraded> upgraded = co_await serveHttp(listener, std::move(socket), std::move(cancellation));
  if (upgraded) co_await serveWebSocket(std::move(listener), *std::move(upgraded));
}

void admit(const ListenerPtr& listener, Socket socket) {
  const std::shared_ptr<Shared> shared = listener->shared;
  if (shared->open.fetch_add(1) >= shared->settings.maxConnections || !shared->conversations.tryEnter()) {
    --shared->open;
    return;  // its destructor closes the socket
  }
  boost::system::error_code ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  auto cancellation = std::make_shared<asio::cancellation_signal>();
  asio::co_spawn(listener->core.get_executor(), serveConnection(listener, std::move(socket), cancellation),
                 asio::bind_cancellation_slot(cancellation->slot(), [shared, cancellation](std::exception_ptr) {
                   --shared->open;
                   shared->conversations.leave();
                 }));
}

Async<void> acceptAll(ListenerPtr listener) {
  while (listener->acceptor.is_open()) {
    auto [error, socket] = co_await listener->acceptor.async_accept(asio::as_tuple(asio::deferred));
    if (!error) {
      admit(listener, Socket(std::move(socket)));
      continue;
    }
    if (error == asio::error::operation_aborted || error == asio::error::connection_aborted) continue;
    // Out of descriptors or memory: open connections must end before more can be accepted.
    if (listener->context.tick - listener->warnedAt >= kAcceptWarningTicks) {
      listener->warnedAt = listener->context.tick;
      logWarn("a connection could not be accepted", {{"cause", error.message()}});
    }
    co_await sleepFor(kAcceptPause);
  }
}

// One timer per core instead of one per request.
Async<void> tickOn(ListenerPtr listener) {
  while (!listener->shared->draining || !listener->connections.empty()) {
    listener->ticker.expires_after(kTick);
    co_await listener->ticker.async_wait(asio::as_tuple(asio::deferred));
    listener->sockets->tick = ++listener->context.tick;
    // expire() ends a wait by posting to its coroutine: no connection leaves the list during this loop.
    for (Conversation* connection : listener->connections) connection->expire();
    listener->sockets->memory.tick();
  }
}

// Closing the listener would reset connections that the kernel has already accepted: they are served instead.
void stopAccepting(const ListenerPtr& listener) {
  boost::system::error_code error;
  listener->acceptor.non_blocking(true, error);
  while (!error) {
    Socket socket(listener->core.get_executor());
    listener->acceptor.accept(socket, error);
    if (!error) admit(listener, std::move(socket));
  }
  listener->acceptor.close(error);
  listener->sockets->draining = true;
  for (Conversation* connection : listener->connections) connection->endIfIdle();
  listener->ticker.cancel();
  listener->shared->stoppedAccepting.release();
}

void abortAll(const ListenerPtr& listener) {
  listener->watch.stop();
  for (Conversation* connection : listener->connections) connection->abort();
  listener->ticker.cancel();
}

Result<Tcp::endpoint> probe(asio::io_context& core, const ServerSettings& settings) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(settings.host, error);
  Tcp::endpoint endpoint(address, static_cast<asio::ip::port_type>(settings.port));
  // With SO_REUSEPORT a second server would silently share the port; a bind without it shows whether the port is free.
  // The socket does not listen: a client that connected to it would keep the port in use after this socket is closed.
  Acceptor acceptor(core);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) endpoint = acceptor.local_endpoint(error);
  if (!error) return endpoint;
  return fail(ErrorCode::unavailable,
              fmt::format("cannot listen on {}:{}: {}", settings.host, settings.port, error.message()));
}

Result<> open(Acceptor& acceptor, const Tcp::endpoint& endpoint) {
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return {};
  return fail(ErrorCode::unavailable, fmt::format("cannot listen on {}:{}: {}", endpoint.address().to_string(),
                                                  endpoint.port(), error.message()));
}

// A connection is a descriptor: raises the limit to the most that the system allows this process.
void raiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

struct Server::Impl {
  Impl(const ServerSettings& settings, Cores& c, Service& service)
      : cores(c), shared(std::make_shared<Shared>(settings, service)) {}

  // Runs `act` on each core with its listener.
  void onEach(void (*act)(const ListenerPtr&)) {
    for (const ListenerPtr& listener : listeners) {
      asio::post(listener->core, [act, listener] { act(listener); });
    }
  }

  Cores& cores;
  const std::shared_ptr<Shared> shared;
  std::vector<ListenerPtr> listeners;
  int port = 0;
};

Server::Server(const ServerSettings& settings, Cores& cores, Service& service)
    : impl_(std::make_unique<Impl>(settings, cores, service)) {}

Server::~Server() {
  if (impl_->shared->draining.exchange(true)) return;
  // Does not wait: the cores may not run. Coroutines that still run hold all that they need except the service.
  impl_->onEach(stopAccepting);
  impl_->onEach(abortAll);
}

int Server::port() const {
  return impl_->port;
}
size_t Server::connections() const {
  return impl_->shared->open;
}

Result<> Server::listen() {
  Impl& impl = *impl_;
  TRY(const Tcp::endpoint endpoint, probe(impl.cores.at(0), impl.shared->settings));
  raiseDescriptorLimit();
  const size_t set = impl.shared->settings.socketMemory;
  const size_t memory = (set > 0 ? set : defaultSocketMemory()) / static_cast<size_t>(impl.cores.count());
  std::vector<ListenerPtr> listeners;
  for (int i = 0; i < impl.cores.count(); ++i) {
    auto listener = std::make_shared<Listener>(impl.cores.at(i), impl.shared, memory);
    RETURN_IF_ERROR(open(listener->acceptor, endpoint));
    listeners.push_back(std::move(listener));
  }
  impl.listeners = std::move(listeners);
  impl.port = endpoint.port();
  for (const ListenerPtr& listener : impl.listeners) {
    impl.shared->loops.spawn(listener->core.get_executor(), acceptAll(listener));
    impl.shared->loops.spawn(listener->core.get_executor(), tickOn(listener));
  }
  return {};
}

void Server::drain(std::chrono::milliseconds limit) {
  Shared& shared = *impl_->shared;
  const auto until = std::chrono::steady_clock::now() + limit;
  shared.draining = true;
  impl_->onEach(stopAccepting);
  for (size_t i = 0; i < impl_->listeners.size(); ++i) {
    if (!shared.stoppedAccepting.try_acquire_until(until)) break;
  }
  const auto left = std::max(until - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration::zero());
  if (!shared.conversations.closeAndWait(std::chrono::duration_cast<std::chrono::milliseconds>(left))) {
    impl_->onEach(abortAll);
    shared.conversations.closeAndWait(kLastWait);
  }
  impl_->onEach(abortAll);
  shared.loops.closeAndWait(kLastWait);
  shared.compression.stop();
  shared.files.stop();
}

}  // namespace mb::http
