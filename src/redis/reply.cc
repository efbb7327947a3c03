#include "redis/reply.h"

#include <hiredis/hiredis.h>

namespace mb::redis {

namespace {

// hiredis builds a reply from the outside in: an item is made at its place in the array that its task's parent made.
// Only the outermost is owned, and freed, by itself.
Reply* place(const redisReadTask* task, Reply::Kind kind) {
  Reply* made = nullptr;
  if (task->parent) {
    made = &static_cast<Reply*>(task->parent->obj)->items[static_cast<size_t>(task->idx)];
  } else {
    made = new Reply;
  }
  made->kind = kind;
  return made;
}

void* makeText(const redisReadTask* task, char* text, size_t size) {
  Reply* made = place(task, task->type == REDIS_REPLY_ERROR ? Reply::Kind::error : Reply::Kind::text);
  made->text.assign(text, size);
  return made;
}

void* makeArray(const redisReadTask* task, int items) {
  if (items < 0 || static_cast<size_t>(items) > kMaxItems) return nullptr;
  Reply* made = place(task, Reply::Kind::array);
  made->items.resize(static_cast<size_t>(items));
  return made;
}

void* makeInteger(const redisReadTask* task, long long value) {
  Reply* made = place(task, Reply::Kind::integer);
  made->integer = value;
  return made;
}

void* makeNil(const redisReadTask* task) {
  return place(task, Reply::Kind::nil);
}

void freeReply(void* reply) {
  delete static_cast<Reply*>(reply);
}

redisReplyObjectFunctions functions{makeText, makeArray, makeInteger, makeNil, freeReply};

std::unexpected<Error> noReply(std::string cause) {
  return fail(Error(ErrorCode::upstreamFailed, "Redis answers what cannot be read").withCause(std::move(cause)));
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
  void* made = nullptr;
  if (redisReaderGetReply(reader_.get(), &made) != REDIS_OK) return noReply(reader_->errstr);
  if (!made) {
    if (unread_ > kMaxReplyBytes) return noReply("a reply is too large");
    return std::nullopt;
  }
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(made));
  unread_ = reader_->len - reader_->pos;
  return std::move(*reply);
}

std::string encode(std::span<const std::string> command) {
  std::string out = fmt::format("*{}\r\n", command.size());
  for (const std::string& part : command) fmt::format_to(std::back_inserter(out), "${}\r\n{}\r\n", part.size(), part);
  return out;
}

}  // namespace mb::redis
