// The frames of a worker about its run.
#include "clone/values.h"
#include "workers/connection.h"
#include "workers/limits.h"

namespace mb::workers {

namespace {

using clone::FailReason;
using clone::FrameKind;
using clone::Reader;
using std::chrono::microseconds;

constexpr std::string_view kOutOfMemory = "out of memory";
constexpr std::string_view kEnded = "the function's process ended before it returned a result";
// The messages on standard error of a process without memory: of V8, and of the C++ library.
constexpr std::array<std::string_view, 3> kMemoryWords = {"out of memory", "heap limit", "bad_alloc"};

std::string tooLate(std::chrono::milliseconds timeout) {
  return fmt::format("the function did not end within {} ms", timeout.count());
}

bool isReason(uint8_t number) {
  return number <= static_cast<uint8_t>(FailReason::notLoadable);
}

std::string_view meaningOf(FailReason reason) {
  switch (reason) {
    case FailReason::threw:
      return "the function threw";
    case FailReason::timedOut:
      return "the function did not end in time";
    case FailReason::outOfMemory:
      return kOutOfMemory;
    case FailReason::neverSettles:
      return "the function waits for something that can no longer happen";
    case FailReason::notCloneable:
      return "the result cannot be passed on";
    case FailReason::tooLarge:
      return "the result is too large";
    case FailReason::notLoadable:
      return "the function cannot be loaded";
  }
  return "";
}

}  // namespace

void WorkerConnection::take(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::ready:
      return takeReady(frame.body);
    case FrameKind::log:
      return takeLog(frame.body);
    case FrameKind::call:
      return takeCall(frame.body);
    case FrameKind::done:
      return takeDone(frame.body);
    case FrameKind::failed:
      return takeFailed(frame.body);
    case FrameKind::checked:
      return takeChecked(frame.body);
    case FrameKind::refused:
      return takeRefused(frame.body);
    default:
      return breach("frame of an unknown kind");
  }
}

void WorkerConnection::takeReady(std::string_view body) {
  Reader in(body);
  const std::string_view engine = in.text();
  const std::string_view confinement = in.text();
  if (state_ != State::starting || in.failed() || !in.atEnd()) return breach("invalid frame \"ready\"");
  state_ = State::idle;
  owner_->onReady(handle_, engine, confinement);
}

void WorkerConnection::takeLog(std::string_view body) {
  Reader in(body);
  const uint8_t level = in.byte();
  const std::string_view message = in.text();
  const bool known = level <= static_cast<uint8_t>(clone::LogLevel::debug);
  const bool fits = message.size() <= clone::kMaxLogBytes && logs_.size() < clone::kMaxLogLines;
  if (!runs() || in.failed() || !in.atEnd() || !known || !fits) return breach("invalid frame \"log\"");
  logs_.push_back({static_cast<clone::LogLevel>(level), std::string(message), clock_.now()});
}

void WorkerConnection::takeDone(std::string_view body) {
  Reader in(body);
  const uint64_t run = in.u64();
  const uint64_t cpu = in.u64();
  if (!runs() || in.failed() || run != run_) return breach("invalid frame \"done\"");
  const microseconds took(std::min<uint64_t>(cpu, INT32_MAX));
  decoded<doc::Value>(
      body.substr(body.size() - in.left()), &WorkerConnection::decodeResult,
      [took](WorkerConnection& self, Decoded<doc::Value> result) { self.endWith(std::move(result), took); });
}

WorkerConnection::Decoded<doc::Value> WorkerConnection::decodeResult(std::string_view bytes) {
  Reader in(bytes);
  Result<doc::Value> value = clone::readValue(in, clone::Purpose::result);
  const bool wellFormed = !in.failed() && (!value || in.atEnd());
  return {std::move(value), wellFormed};
}

void WorkerConnection::endWith(Decoded<doc::Value> result, microseconds cpu) {
  if (!result.wellFormed) return breach("malformed result");
  JobEnd end;
  end.status = result.value ? RunStatus::success : RunStatus::error;
  if (!result.value) end.error = result.value.error().message();
  if (result.value) end.result = *std::move(result.value);
  end.cpu = cpu;
  finish(std::move(end));
}

void WorkerConnection::takeFailed(std::string_view body) {
  Reader in(body);
  const uint64_t run = in.u64();
  const uint64_t cpu = in.u64();
  const uint8_t number = in.byte();
  const std::string_view message = in.text();
  const std::string_view stack = in.text();
  const bool fits = message.size() <= kMaxMessageBytes && stack.size() <= kMaxStackBytes && isReason(number);
  const bool isOfRun = state_ == State::busy && run == run_;
  if (!isOfRun || in.failed() || !in.atEnd() || !fits) return breach("invalid frame \"failed\"");
  const auto reason = static_cast<FailReason>(number);
  JobEnd end;
  end.error = message.empty() ? meaningOf(reason) : message;
  end.stack = stack;
  end.cpu = microseconds(std::min<uint64_t>(cpu, INT32_MAX));
  if (reason == FailReason::timedOut) {
    end.status = RunStatus::timeout;
    end.error = tooLate(job_->timeout);
  }
  end.endedWorker = reason == FailReason::outOfMemory;
  finish(std::move(end), reason != FailReason::outOfMemory);
}

void WorkerConnection::takeChecked(std::string_view body) {
  Reader in(body);
  const uint64_t run = in.u64();
  const std::string_view code = in.text();
  const std::string_view map = in.text();
  if (!checks() || in.failed() || !in.atEnd() || run != run_) return breach("invalid frame \"checked\"");
  JobEnd end;
  end.status = RunStatus::success;
  end.code = {std::string(code), std::string(map)};
  finish(std::move(end));
}

void WorkerConnection::takeRefused(std::string_view body) {
  Reader in(body);
  const uint64_t run = in.u64();
  const uint8_t number = in.byte();
  const uint32_t line = in.u32();
  const uint32_t column = in.u32();
  const std::string_view message = in.text();
  const bool fits = message.size() <= kMaxMessageBytes && isReason(number);
  if (!checks() || in.failed() || !in.atEnd() || !fits || run != run_) return breach("invalid frame \"refused\"");
  JobEnd end;
  end.error = line == 0 ? std::string(message) : fmt::format("{}:{}: {}", line, column, message);
  finish(std::move(end), static_cast<FailReason>(number) != FailReason::outOfMemory);
}

JobEnd WorkerConnection::endFor(ConnectionOwner::ExitCause death) const {
  JobEnd end;
  if (!job_) return end;
  if (death == ConnectionOwner::ExitCause::timedOut) {
    end.status = RunStatus::timeout;
    end.error = tooLate(job_->timeout);
    return end;
  }
  const bool memory =
      std::ranges::any_of(kMemoryWords, [&](std::string_view word) { return lastWords_.contains(word); });
  end.error = memory ? kOutOfMemory : kEnded;
  end.stopped = death == ConnectionOwner::ExitCause::stopped;
  end.endedWorker = true;
  return end;
}

void WorkerConnection::finish(JobEnd end, bool fit) {
  const JobPtr job = std::exchange(job_, nullptr);
  end.wall = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - began_);
  end.cpu = std::min(end.cpu, end.wall);
  end.logs = std::exchange(logs_, {});
  if (end.status == RunStatus::timeout) end.logs.clear();
  fit_ = fit;
  if (open_ > 0) asio::post(job->resumer.executor(), [job] { job->bridge->settled(); });
  if (state_ != State::dead) {
    state_ = State::idle;
    if (open_ == 0) owner_->onFreed(handle_, fit_);
  }
  job->resumer.resume(std::move(end));
}

}  // namespace mb::workers
