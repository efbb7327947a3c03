#include "cli/plan.h"

#include <set>

#include "cli/api_client.h"
#include "cli/text_diff.h"
#include "configuration/sections.h"
#include "document/pretty_json.h"

namespace mb::cli {

namespace {

doc::DocumentView entriesOf(doc::DocumentView document, std::string_view section) {
  const auto found = document.find(section);
  return found && found->type() == doc::BsonType::array ? found->asDocument() : doc::DocumentView();
}

std::set<std::string> namesOf(doc::DocumentView document, std::string_view section) {
  std::set<std::string> out;
  for (const doc::Element& each : entriesOf(document, section)) {
    if (each.value.type() == doc::BsonType::document) out.emplace(each.value.asDocument().stringOr("name"));
  }
  return out;
}

// An entry as it is compared: a function's code by its lines, not as one text of the JSON.
struct EntryText {
  std::string json;
  std::string code;
};

EntryText textOf(std::string_view section, const std::optional<doc::Value>& value) {
  if (!value) return {};
  const doc::ValueView view = *value;
  if (section != "functions" || view.type() != doc::BsonType::document) {
    return {doc::toPrettyJson(view) + "\n", ""};
  }
  EntryText text;
  doc::BsonWriter rest;
  rest.beginDocument("");
  for (const doc::Element& field : view.asDocument()) {
    if (field.key == "code" && field.value.type() == doc::BsonType::string) {
      text.code = field.value.asString();
    } else {
      rest.append(field.key, field.value);
    }
  }
  rest.end();
  const doc::Document whole = rest.finish();
  text.json = doc::toPrettyJson(whole.view().begin()->value) + "\n";
  return text;
}

std::string colouredAs(std::string_view text, std::string_view colour, bool colours) {
  return colours ? fmt::format("\033[{}m{}\033[0m", colour, text) : std::string(text);
}

// Removes and returns the first step of a JSON pointer.
std::string_view step(std::string_view& pointer) {
  if (!pointer.starts_with('/')) return {};
  pointer.remove_prefix(1);
  const size_t end = std::min(pointer.find('/'), pointer.size());
  const std::string_view out = pointer.substr(0, end);
  pointer.remove_prefix(end);
  return out;
}

}  // namespace

Result<Plan> planOf(const doc::Document& response, std::string digest) {
  const auto plan = response.view().find("plan");
  // Without its digest a plan cannot be applied as it was shown.
  if (plan && plan->type() == doc::BsonType::document && !digest.empty()) {
    if (auto out = doc::decode<Plan>(plan->asDocument(), doc::UnknownFields::ignore)) {
      out->digest = std::move(digest);
      return out;
    }
  }
  return fail(ErrorCode::upstreamFailed, "the server sent an unexpected response: it may be of another version");
}

std::string describe(const Plan& plan, const std::vector<PruneEntry>& prune, bool colours) {
  std::string out;
  for (const PlannedChange& change : plan.changes) {
    if (change.action == "unchanged") continue;
    out += colouredAs(fmt::format("{} {} {}", change.action, change.section, change.name), "1", colours) + "\n";
    const EntryText before = textOf(change.section, change.before);
    const EntryText after = textOf(change.section, change.after);
    const auto add = [&](const std::string& diff) { out += colours ? coloured(diff) : diff; };
    add(unifiedDiff(before.json, after.json));
    const std::string code = unifiedDiff(before.code, after.code);
    if (code.empty()) continue;
    out += colouredAs(fmt::format("code of {}", change.name), "1", colours) + "\n";
    add(code);
  }
  for (const PruneEntry& each : prune) {
    out += colouredAs(fmt::format("delete {} {}", each.section, each.name), "1;31", colours) + "\n";
  }
  return out;
}

std::string summaryOf(const Plan& plan, size_t prune) {
  std::string out = fmt::format("{} to create, {} to update, {} unchanged", plan.summary.create, plan.summary.update,
                                plan.summary.unchanged);
  if (prune > 0) out += fmt::format(", {} to delete", prune);
  return out;
}

std::vector<PruneEntry> toPrune(doc::DocumentView server, doc::DocumentView bundle) {
  std::vector<PruneEntry> out;
  for (const configuration::Section* section : configuration::prunedSections()) {
    const std::set<std::string> kept = namesOf(bundle, section->name);
    for (const std::string& name : namesOf(server, section->name)) {
      if (!name.empty() && !kept.contains(name)) out.push_back({std::string(section->name), name});
    }
  }
  return out;
}

std::string routeOf(const PruneEntry& pruned) {
  const configuration::Section* section = configuration::sectionNamed(pruned.section);
  return fmt::format("/{}/{}", section->route, percentEncoded(pruned.name));
}

std::vector<ErrorDetail> byFile(const std::vector<ErrorDetail>& problems, doc::DocumentView document) {
  std::vector<ErrorDetail> out;
  for (const ErrorDetail& problem : problems) {
    std::string_view rest = problem.path;
    const std::string_view section = step(rest);
    const configuration::Section* known = configuration::sectionNamed(section);
    if (known == nullptr) {
      out.push_back({problem.path, problem.message});
      continue;
    }
    std::string name;
    if (entriesOf(document, section).count() > 0) {
      const std::string index(step(rest));
      const auto entry = entriesOf(document, section).find(index);
      if (entry && entry->type() == doc::BsonType::document) {
        name = entry->asDocument().stringOr("name");
      } else if (!index.empty() && !isdigit(static_cast<unsigned char>(index.front()))) {
        name = index;
      }
    }
    std::string file = configuration::bundleFileOf(*known, name);
    // A function's code is a file of its own.
    if (section == "functions" && rest == "/code" && !name.empty()) {
      file.replace(file.rfind('.'), std::string::npos, ".ts");
      rest = {};
    }
    // Names the entry, in a file that holds many.
    const std::string which = !known->file.empty() && !name.empty() ? name + ": " : "";
    out.push_back({file, which + (rest.empty() ? "" : std::string(rest) + " ") + problem.message});
  }
  return out;
}

}  // namespace mb::cli
