// `manybase types`.
#include "base/files.h"
#include "cli/client.h"
#include "typescript/typescript.h"

namespace mb::cli {

Result<Outcome> types(Client& client) {
  const BundleFolder folder = client.folder();
  TRY(const BundleFolder::Contents here, folder.read());
  TRY(const doc::Document document, documentIn(folder, here));
  TRY(std::string text, typescript::typesOf(document));
  doc::BsonWriter result;
  if (!client.has("out")) {
    result.appendString("types", text);
    return Outcome{0, std::move(text), result.finish()};
  }
  const std::string out = client.value("out");
  RETURN_IF_ERROR(writeWhole(out, text));
  result.appendString("file", out);
  return Outcome{0, fmt::format("wrote {}", out), result.finish()};
}

}  // namespace mb::cli
