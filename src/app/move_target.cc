#include "app/move_target.h"

#include "app/command.h"
#include "base/files.h"

namespace mb::app {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxAddress = 4096;
constexpr std::string_view kScheme = "://";

}  // namespace

std::string MoveTarget::name() const {
  return database ? fmt::format("the database \"{}\"", database->prefix) : directory.string();
}

Result<> resolveMoveTarget(cli::Arguments& arguments) {
  if (has(arguments, "to") == has(arguments, "to-file")) {
    return fail(ErrorCode::invalidParam, "name the target with either --to or --to-file");
  }
  std::string text = valueOf(arguments, "to");
  if (has(arguments, "to-file")) {
    TRY(text, readValue(valueOf(arguments, "to-file"), kMaxAddress));
    arguments.erase("to-file");
  }
  std::error_code failed;
  if (!text.empty() && text.find(kScheme) == std::string::npos) text = fs::absolute(text, failed).string();
  arguments["to"] = std::move(text);
  return {};
}

Result<MoveTarget> moveTargetOf(const cli::Arguments& arguments) {
  const std::string text = valueOf(arguments, "to");
  if (text.empty()) return fail(ErrorCode::invalidParam, "--to must be the address of a database or a directory");
  MoveTarget target;
  if (text.find(kScheme) == std::string::npos) {
    target.directory = fs::path(text).lexically_normal();
    if (!target.directory.has_filename()) target.directory = target.directory.parent_path();
    return target;
  }
  auto parsed = store::parseMongoUri(text);
  if (!parsed) return fail(ErrorCode::invalidParam, "--to: " + parsed.error().message());
  target.database = *std::move(parsed);
  return target;
}

}  // namespace mb::app
