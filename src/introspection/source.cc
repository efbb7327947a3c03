#include "introspection/source.h"

#include <algorithm>

#include "document/foreign_bson.h"

namespace mb::introspection {

namespace {

using store::mongo::CommandError;

Outcome<doc::Document> checked(Outcome<doc::Document> reply) {
  if (!reply || doc::isWellFormed(reply->bytes())) return reply;
  return std::unexpected(CommandError(CommandError::kDriver, "the reply is malformed"));
}

}  // namespace

Outcome<doc::Document> Source::read(doc::DocumentView command) {
  return checked(connection_.read(database_, command));
}

Outcome<doc::Document> Source::write(doc::DocumentView command) {
  return checked(connection_.write(database_, command));
}

Outcome<> Source::each(std::string_view collection, doc::DocumentView command,
                       const std::function<bool(doc::DocumentView)>& visit) {
  return store::mongo::eachDocument([this](doc::DocumentView each) { return read(each); }, collection, command, visit);
}

void Source::appendTimeLimit(doc::BsonWriter& out, std::chrono::milliseconds most) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
  // 0 would be no limit.
  out.appendInt64("maxTimeMS", std::max<int64_t>(1, std::min(most, left).count()));
}

}  // namespace mb::introspection
