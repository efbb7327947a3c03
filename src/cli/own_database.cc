#include "cli/own_database.h"

#include <cmath>

#include "cli/console.h"
#include "cli/text_table.h"

namespace mb::cli {

namespace {

// A name of the database's owner, without control characters, which a terminal would obey.
std::string printable(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<uint8_t>(name[i]);
    const bool isPair = byte == 0xC2 && i + 1 < name.size() && static_cast<uint8_t>(name[i + 1]) < 0xA0;
    if (isPair) ++i;
    out += byte < 0x20 || byte == 0x7F || isPair ? '?' : name[i];
  }
  return out;
}

std::string_view works(bool capability) {
  return capability ? "works" : "does not work";
}

// "60%"
std::string percent(double share) {
  return fmt::format("{}%", std::lround(share * 100));
}

// "int 60%, double 40%"; of one type its name alone.
std::string typesOf(const doc::Document& types) {
  std::string out;
  const bool isOne = types.view().count() == 1;
  for (const auto& [name, share] : types.view()) {
    if (!out.empty()) out += ", ";
    out += name;
    if (!isOne) out += " " + percent(share.isNumber() ? share.toReal() : 0);
  }
  return out;
}

// What a collection is in the project, or why it cannot be imported.
std::string stateOf(const ListedSource& source) {
  if (source.imported.value) return "imported as " + *source.imported.value;
  return source.importable ? "can be imported" : "cannot be imported: " + source.reason.value_or("unknown");
}

std::string verdictText(std::string_view verdict) {
  if (verdict == "ready") return "ready: every document has an id, which is unique";
  if (verdict == "needs-backfill") return "ready; ids that clients choose need a backfill after the import";
  if (verdict == "incompatible") return "cannot be imported: resolve the errors in the database first";
  return std::string(verdict);
}

}  // namespace

std::string textOf(const std::vector<DatabaseWarning>& warnings) {
  std::string out;
  for (const DatabaseWarning& each : warnings) out += fmt::format("warning: {}\n", each.message);
  return out;
}

std::string textOf(const CheckedDatabase& database) {
  const DatabaseCapabilities& able = database.byoCapabilities;
  return tableOf({{"reached", database.reachable ? "yes" : "no"},
                  {"change streams", std::string(works(able.changeStreams))},
                  {"pre-images", std::string(works(able.preImages))},
                  {"transactions", std::string(works(able.transactions))}}) +
         textOf(database.warnings);
}

std::string textOf(const std::vector<ListedSource>& sources) {
  std::vector<std::vector<std::string>> rows = {{"COLLECTION", "DOCUMENTS", "SIZE", "IN THE PROJECT"}};
  for (const ListedSource& each : sources) {
    rows.push_back({printable(each.name), each.documents.value ? fmt::format("{}", *each.documents.value) : "-",
                    each.sizeBytes.value ? describeBytes(static_cast<uint64_t>(*each.sizeBytes.value)) : "-",
                    stateOf(each)});
  }
  return tableOf(rows);
}

std::string textOf(const SourceReport& report) {
  const std::string about = report.ids.estimated.value_or(false) ? "about " : "";
  std::string out = tableOf(
      {{"collection", printable(report.collection)},
       {"documents", fmt::format("{}, {}", report.stats.count,
                                 describeBytes(static_cast<uint64_t>(std::max<int64_t>(0, report.stats.sizeBytes))))},
       {"sampled", fmt::format("{}", report.sampled)},
       {"ids", fmt::format("{0}{1} with, {0}{2} without", about, report.ids.withId, report.ids.withoutId)},
       {"verdict", verdictText(report.verdict)}});
  for (const SourceReport::Problem& each : report.problems) {
    out +=
        fmt::format("{}: {}{}\n", each.severity, each.message, each.path ? " (at " + printable(*each.path) + ")" : "");
  }
  if (report.fields.empty()) return out;
  std::vector<std::vector<std::string>> rows = {{"FIELD", "TYPES", "IN"}};
  for (const SourceReport::Field& each : report.fields) {
    rows.push_back({printable(each.path), typesOf(each.types), each.present >= 1 ? "all" : percent(each.present)});
  }
  return out + "\n" + tableOf(rows);
}

}  // namespace mb::cli
