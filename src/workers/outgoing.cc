#include "workers/outgoing.h"

#include "clone/values.h"
#include "workers/limits.h"

namespace mb::workers {

namespace {

using clone::FrameKind;
using clone::Writer;

constexpr std::chrono::milliseconds kCheckTime{10'000};
constexpr size_t kRunAt = 5;  // after length and kind

// Returns the frame's offset for endFrame(), which fills in the length.
size_t beginFrame(std::string& out, FrameKind kind) {
  const size_t at = out.size();
  Writer writer(out);
  writer.u32(0);
  writer.byte(static_cast<uint8_t>(kind));
  return at;
}

void endFrame(std::string& out, size_t at) {
  const auto length = static_cast<uint32_t>(out.size() - at - sizeof(uint32_t));
  std::memcpy(out.data() + at, &length, sizeof length);
}

std::string_view truncated(std::string_view text) {
  if (text.size() <= kMaxMessageBytes) return text;
  size_t end = kMaxMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

std::string errorFrame(uint32_t call, std::string_view code, std::string_view message) {
  std::string out;
  const size_t at = beginFrame(out, FrameKind::answer);
  Writer writer(out);
  writer.u32(call);
  writer.byte(0);
  writer.text(code);
  writer.text(truncated(message));
  endFrame(out, at);
  return out;
}

}  // namespace

Result<JobPtr> jobOf(RunRequest request) {
  auto job = std::make_shared<Job>();
  job->project = request.project;
  job->runClass = request.runClass;
  job->timeout = request.timeout;
  std::string& out = job->frame;
  const size_t raw = request.rawBody ? request.rawBody->size() : 0;
  out.reserve(request.event.size() + request.context.size() + request.module->id.size() + raw + 64);
  const size_t at = beginFrame(out, FrameKind::run);
  Writer writer(out);
  writer.u64(0);
  writer.text(request.module->id);
  job->timeoutAt = out.size();
  writer.u32(0);
  writer.byte(static_cast<uint8_t>(request.bridge ? request.bridge->kind() : clone::BridgeKind::none));
  writer.byte(request.rawBody ? 1 : 0);
  if (request.rawBody) writer.text(*request.rawBody);
  if (!clone::writeObject(writer, request.event) || !clone::writeObject(writer, request.context)) {
    return fail(ErrorCode::validation, "the event is nested too deeply");
  }
  if (out.size() > clone::kMaxRunFrameBytes) return fail(ErrorCode::validation, "the event is too large");
  endFrame(out, at);
  job->module = std::move(request.module);
  job->bridge = std::move(request.bridge);
  return job;
}

JobPtr checkJobOf(store::ProjectNo project, std::string_view source, bool typescript) {
  auto job = std::make_shared<Job>();
  job->project = project;
  job->timeout = kCheckTime;
  const size_t at = beginFrame(job->frame, FrameKind::check);
  Writer writer(job->frame);
  writer.u64(0);
  writer.text(source);
  writer.byte(typescript ? 1 : 0);
  writer.byte(0);  // none of it is run
  endFrame(job->frame, at);
  return job;
}

void number(Job& job, uint64_t run) {
  std::memcpy(job.frame.data() + kRunAt, &run, sizeof run);
  if (job.timeoutAt == 0) return;
  const auto timeout = static_cast<uint32_t>(job.timeout.count());
  std::memcpy(job.frame.data() + job.timeoutAt, &timeout, sizeof timeout);
}

void appendLoad(std::string& out, const Module& module) {
  const size_t at = beginFrame(out, FrameKind::load);
  Writer writer(out);
  writer.text(module.id);
  writer.text(module.source);
  writer.text(module.map);
  endFrame(out, at);
}

void appendUnload(std::string& out, std::string_view id) {
  const size_t at = beginFrame(out, FrameKind::unload);
  Writer(out).text(id);
  endFrame(out, at);
}

std::string replyFrame(uint32_t call, const Result<doc::Value>& result, size_t& bytes) {
  if (!result) return errorFrame(call, meaningOf(result.error().code()).wire, result.error().message());
  std::string out;
  const size_t at = beginFrame(out, FrameKind::answer);
  Writer writer(out);
  writer.u32(call);
  writer.byte(1);
  const size_t before = out.size();
  const bool written = clone::writeValue(writer, result->view());
  bytes = out.size() - before;
  const std::string_view code = meaningOf(ErrorCode::payloadTooLarge).wire;
  if (!written) return errorFrame(call, code, "the result of the call is nested too deeply");
  if (out.size() > clone::kMaxFrameBytes) return errorFrame(call, code, "the result of the call is too large");
  endFrame(out, at);
  return out;
}

}  // namespace mb::workers
