#include "store/own/change_stream.h"

#include <algorithm>
#include <array>

#include "document/fields.h"

namespace mb::store::own {

namespace {

using mongo::CommandError;
using mongo::Outcome;

// FailedToParse, TypeMismatch and InvalidResumeToken (tokens of another database), BSONObjectTooLarge (an event that no
// reply can hold), ChangeStreamFatalError, ChangeStreamHistoryLost.
constexpr std::array kLost = {9, 14, 260, 280, 286, 10334};

doc::Document openCommand(const std::string& token, bool preImages) {
  doc::BsonWriter out;
  out.appendInt32("aggregate", 1);
  out.beginArray("pipeline");
  out.beginDocument("0");
  out.beginDocument("$changeStream");
  out.appendString("fullDocument", "updateLookup");
  if (preImages) out.appendString("fullDocumentBeforeChange", "whenAvailable");
  if (!token.empty()) out.appendDocument("resumeAfter", doc::DocumentView(token));
  out.end();
  out.end();
  out.end();
  out.beginDocument("cursor");
  // From now on: no event before its token is stored.
  out.appendInt32("batchSize", token.empty() ? 0 : kStreamEvents);
  out.end();
  return out.finish();
}

doc::Document nextCommand(int64_t cursor, std::chrono::milliseconds wait) {
  doc::BsonWriter out;
  out.appendInt64("getMore", cursor);
  out.appendString("collection", "$cmd.aggregate");
  out.appendInt32("batchSize", kStreamEvents);
  out.appendInt32("maxTimeMS", static_cast<int32_t>(wait.count()));
  return out.finish();
}

CommandError unusable(std::string message) {
  return {CommandError::kDriver, std::move(message)};
}

}  // namespace

bool isPastLost(const CommandError& error) {
  return std::ranges::find(kLost, error.code) != kLost.end();
}

Outcome<StreamBatch> ChangeStream::next(const std::string& token, std::chrono::milliseconds wait) {
  auto batch = read(token, wait);
  if (!batch) connection_.reset();
  return batch;
}

Outcome<doc::Document> ChangeStream::open(const std::string& token) {
  connection_ = database_->connect();
  return connection_->run(database_->name(), openCommand(token, database_->capabilities().preImages));
}

Outcome<StreamBatch> ChangeStream::read(const std::string& token, std::chrono::milliseconds wait) {
  const bool continues = connection_ && cursor_ != 0 && token == last_;
  const auto reply = continues ? connection_->run(database_->name(), nextCommand(cursor_, wait)) : open(token);
  if (!reply) return std::unexpected(reply.error());
  if (reply->size() > 2 * kMaxStreamBytes) return std::unexpected(unusable("the reply is too large"));
  StreamBatch out;
  Cover cover(database_->coverKey());
  const mongo::Batch batch = mongo::batchOf(*reply);
  for (const doc::DocumentView each : batch.documents) {
    out.events.push_back(readEvent(each.bytes(), cover));
    if (out.events.back().token.empty()) return std::unexpected(unusable("an event has no token"));
  }
  cursor_ = batch.cursor;
  const auto time = reply->view().find("operationTime");
  if (time && time->type() == doc::BsonType::timestamp) out.asOf = timeOf(time->raw());
  // Servers give it with each batch; for one that does not, the last event has it.
  const doc::DocumentView given = doc::containerOr(doc::containerOr(reply->view(), "cursor"), "postBatchResumeToken");
  if (!given.empty()) {
    out.token = given.bytes();
  } else {
    out.token = out.events.empty() ? token : out.events.back().token;
  }
  if (out.token.size() > kMaxToken) return std::unexpected(unusable("a token is too large"));
  last_ = out.token;
  return out;
}

}  // namespace mb::store::own
