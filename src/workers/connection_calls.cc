// The calls of a run to its host.
#include "base/log.h"
#include "clone/values.h"
#include "workers/connection.h"
#include "workers/limits.h"
#include "workers/outgoing.h"

namespace mb::workers {

namespace {

using clone::Reader;

std::unexpected<Error> tooMuch() {
  return fail(ErrorCode::payloadTooLarge,
              fmt::format("the calls of one run carry at most {} MiB", clone::kMaxBridgeBytes >> 20));
}

}  // namespace

void WorkerConnection::takeCall(std::string_view body) {
  Reader in(body);
  const uint32_t call = in.u32();
  const std::string_view operation = in.text();
  const size_t size = in.left();
  const bool allowed =
      runs() && job_->bridge && open_ < clone::kMaxCallsAtOnce && calls_ < clone::maxCallsOf(job_->bridge->kind());
  const bool fits = operation.size() <= kMaxOperationBytes && size <= clone::maxCallBytes(operation);
  if (in.failed() || !allowed || !fits || (calls_ > 0 && call <= lastCall_)) return breach("invalid frame \"call\"");
  decoded<doc::Document>(body.substr(body.size() - size), &WorkerConnection::decodeArguments,
                         [call, operation = std::string(operation), size](WorkerConnection& self,
                                                                          Decoded<doc::Document> arguments) mutable {
                           self.startCall(call, std::move(operation), size, std::move(arguments));
                         });
}

WorkerConnection::Decoded<doc::Document> WorkerConnection::decodeArguments(std::string_view bytes) {
  Reader in(bytes);
  Result<doc::Document> arguments = clone::readArguments(in);
  const bool wellFormed = !in.failed() && (!arguments || in.atEnd());
  return {std::move(arguments), wellFormed};
}

void WorkerConnection::startCall(uint32_t call, std::string operation, size_t size, Decoded<doc::Document> arguments) {
  if (!arguments.wellFormed) return breach("malformed arguments");
  ++calls_;
  ++open_;
  lastCall_ = call;
  bridgeBytes_ += size;
  if (bridgeBytes_ > clone::kMaxBridgeBytes) arguments.value = tooMuch();
  if (!arguments.value) return reply(run_, call, fail(std::move(arguments.value).error()));
  asio::co_spawn(job_->resumer.executor(),
                 runCall(shared_from_this(), job_, run_, call, std::move(operation), *std::move(arguments.value)),
                 asio::detached);
}

// On the core of the run's caller.
Async<void> WorkerConnection::runCall(std::shared_ptr<WorkerConnection> self, JobPtr job, uint64_t run, uint32_t call,
                                      std::string operation, doc::Document arguments) {
  Result<doc::Value> result = fail(ErrorCode::internal, "something went wrong on the server");
  try {
    result = co_await job->bridge->call(std::move(operation), std::move(arguments));
  } catch (const std::exception& exception) {
    logError("host call of a function threw an exception", {{"what", exception.what()}});
  }
  if (job->core == self->handle_->core) co_return self->reply(run, call, std::move(result));
  asio::post(self->home_,
             [self, run, call, result = std::move(result)]() mutable { self->reply(run, call, std::move(result)); });
}

void WorkerConnection::reply(uint64_t run, uint32_t call, Result<doc::Value> result) {
  if (job_ && run == run_ && state_ != State::dead) {
    size_t bytes = 0;
    std::string frame = replyFrame(call, result, bytes);
    bridgeBytes_ += bytes;
    if (bridgeBytes_ > clone::kMaxBridgeBytes) frame = replyFrame(call, tooMuch(), bytes);
    send(frame);
  }
  callEnded();
}

void WorkerConnection::callEnded() {
  if (--open_ > 0) return;
  if (state_ == State::dead) {
    if (!job_) owner_->onDrained(handle_);
    return;
  }
  if (state_ == State::idle) owner_->onFreed(handle_, fit_);
}

}  // namespace mb::workers
