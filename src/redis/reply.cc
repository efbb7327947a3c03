#include "redis/reply.h"

#include <hiredis/hiredis.h>

namespace mb::redis {

namespace {

// hiredis builds a reply from the outside in: an item is created in the array of its parent task's reply. Only the
// outermost reply is allocated, and freed, on its own.
Reply* place(const redisReadTask* task, Reply::Kind kind) {
  Reply* reply = nullptr;
  if (task->parent) {
    reply = &static_cast<Reply*>(task->parent->obj)->items[static_cast<size_t>(task->idx)];
  } else {
    reply = new Reply;
  }
  reply->kind = kind;
  return reply;
}

void* makeText(const redisReadTask* task, char* text, size_t size) {
  Reply* reply = place(task, task->type == REDIS_REPLY_ERROR ? Reply::Kind::error : Reply::Kind::text);
  reply->text.assign(text, size);
  return reply;
}

void* makeArray(const redisReadTask* task, int items) {
  if (items < 0 || static_cast<size_t>(items) > kMaxItems) return nullptr;
  Reply* reply = place(task, Reply::Kind::array);
  reply->items.resize(static_cast<size_t>(items));
  return reply;
}

void* makeInteger(const redisReadTask* task, long long value) {
  Reply* reply = place(task, Reply::Kind::integer);
  reply->integer = value;
  return reply;
}

void* makeNil(const redisReadTask* task) {
  return place(task, Reply::Kind::nil);
}

void freeReply(void* reply) {
  delete static_cast<Reply*>(reply);
}

redisReplyObjectFunctions functions{makeText, makeArray, makeInteger, makeNil, freeReply};

std::unexpected<Error> malformed(std::string cause) {
  return fail(Error(ErrorCode::upstreamFailed, "Redis sent a malformed reply").withCause(std::move(cause)));
}

}  // namespace

void ReplyReader::Closer::operator()(redisReader* reader) const {
  redisReaderFree(reader);
}

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(&functions)) {}

void ReplyReader::feed(std::string_view bytes) {
  unread_ += bytes.size();
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

Result<std::optional<Reply>> ReplyReader::next() {
  void* reply = nullptr;
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) return malformed(reader_->errstr);
  if (!reply) {
    if (unread_ > kMaxReplyBytes) return malformed("a reply is too large");
    return std::nullopt;
  }
  const std::unique_ptr<Reply> owned(static_cast<Reply*>(reply));
  unread_ = reader_->len - reader_->pos;
  return std::move(*owned);
}

std::string encode(std::span<const std::string> command) {
  std::string out = fmt::format("*{}\r\n", command.size());
  for (const std::string& part : command) fmt::format_to(std::back_inserter(out), "${}\r\n{}\r\n", part.size(), part);
  return out;
}

}  // namespace mb::redis
