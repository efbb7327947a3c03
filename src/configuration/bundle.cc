#include "configuration/bundle.h"

#include <algorithm>
#include <map>
#include <set>

#include "configuration/file_text.h"
#include "configuration/sections.h"
#include "document/json.h"

namespace mb::configuration {

namespace {

using doc::BsonType;
using doc::DocumentView;
using doc::ValueView;

constexpr std::string_view kMeta = "meta.json";
constexpr std::string_view kFunctions = "functions";
constexpr std::string_view kCode = "code";
constexpr std::string_view kCodeFile = "codeFile";
constexpr size_t kMaxName = 128;

bool isSafeName(std::string_view name) {
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, safe);
}

ValueView valueOf(DocumentView document) {
  return {BsonType::document, document.bytes().data(), document.bytes().size()};
}

Error broken(std::string_view what, std::vector<ErrorDetail> problems) {
  std::string message = fmt::format("{}: {} {}", what, problems.front().path, problems.front().message);
  if (problems.size() > 1) message += fmt::format(" (and {} more)", problems.size() - 1);
  return Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems));
}

bool isWholeFile(std::string_view path) {
  return path == kMeta || std::ranges::any_of(sections(), [&](const Section& each) { return each.file == path; });
}

// ---- to files

class BundleWriter {
 public:
  Result<Bundle> write(DocumentView exported) {
    meta(exported);
    for (const doc::Element& each : exported) {
      if (isHead(each.key)) continue;
      const Section* section = sectionNamed(each.key);
      section ? writeSection(*section, each.value)
              : problem(each.key, "is a section that this version does not support");
    }
    for (const Section& each : sections()) {
      if (!each.optional && !exported.find(each.name)) problem(each.name, "is missing");
    }
    if (!problems_.empty()) return fail(broken("invalid export", std::move(problems_)));
    std::ranges::sort(files_, {}, &BundleFile::path);
    return std::move(files_);
  }

 private:
  static bool isHead(std::string_view key) {
    return key == "formatVersion" || key == "exportedAt" || key == "serverVersion" || key == "project";
  }
  void problem(std::string_view path, std::string message) {
    problems_.push_back({"/" + std::string(path), std::move(message)});
  }

  void meta(DocumentView exported) {
    const auto version = exported.find("formatVersion");
    const auto project = exported.find("project");
    if (!version || !version->isNumber() || version->toInteger() != kFormatVersion) {
      return problem("formatVersion", fmt::format("must be {}", kFormatVersion));
    }
    if (!project || project->type() != BsonType::document) return problem("project", "is required");
    doc::BsonWriter out;
    out.appendInteger("formatVersion", kFormatVersion);
    out.beginDocument("project");
    out.appendString("name", project->asDocument().stringOr("name"));
    out.end();
    const doc::Document meta = out.finish();
    files_.push_back({std::string(kMeta), fileText(valueOf(meta))});
  }

  void writeSection(const Section& section, ValueView value) {
    const bool array = !section.key.empty();
    if (value.type() != (array ? BsonType::array : BsonType::document)) {
      return problem(section.name, array ? "must be an array" : "must be an object");
    }
    if (!section.file.empty()) return files_.push_back({std::string(section.file), fileText(value)});
    for (const doc::Element& entry : value.asDocument()) {
      const std::string path = fmt::format("{}/{}", section.name, entry.key);
      if (entry.value.type() != BsonType::document) {
        problem(path, "must be an object");
        continue;
      }
      writeEntry(section, entry.value.asDocument(), path);
    }
  }

  void writeEntry(const Section& section, DocumentView entry, const std::string& at) {
    std::string_view name = entry.stringOr(section.key);
    if (name == kDefaultEntry && section.folder == "collections") name = kDefaultFile;
    if (!isSafeName(name)) return problem(at, "must have a name that is valid as a file name");
    const std::string path = fmt::format("{}/{}", section.folder, name);
    if (section.name != kFunctions) return files_.push_back({path + ".json", fileText(valueOf(entry))});
    // The code is a separate file.
    doc::BsonWriter out;
    for (const doc::Element& field : entry) {
      if (field.key != kCode || field.value.type() != BsonType::string) {
        out.append(field.key, field.value);
        continue;
      }
      out.appendString(kCodeFile, fmt::format("{}.ts", name));
      files_.push_back({path + ".ts", codeText(field.value.asString())});
    }
    const doc::Document described = out.finish();
    files_.push_back({path + ".json", fileText(valueOf(described))});
  }

  Bundle files_;
  std::vector<ErrorDetail> problems_;
};

// ---- from files

class BundleReader {
 public:
  explicit BundleReader(const Bundle& bundle) {
    for (const BundleFile& file : bundle) {
      if (!files_.emplace(file.path, file.content).second) problem(file.path, "occurs twice");
    }
  }

  Result<doc::Document> join() {
    for (const auto& [path, content] : files_) read(path, content);
    if (!files_.contains(kMeta)) problem(kMeta, "is missing: this is not a bundle");
    doc::BsonWriter out;
    if (meta_) out.appendAll(meta_->asDocument());
    for (const Section& section : sections()) append(out, section);
    for (const auto& [path, content] : files_) {
      if (path.ends_with(".ts") && !codeUsed_.contains(path)) problem(path, "does not belong to a function");
    }
    std::ranges::sort(problems_, {}, &ErrorDetail::path);
    if (!problems_.empty()) return fail(broken("invalid bundle", std::move(problems_)));
    return out.finish();
  }

 private:
  struct File {
    doc::Document parsed;  // the value of the field ""
    ValueView value() const { return parsed.view().begin()->value; }
  };

  void problem(std::string_view path, std::string message) {
    problems_.push_back({std::string(path), std::move(message)});
  }

  void read(const std::string& path, std::string_view content) {
    if (isWholeFile(path)) return readWhole(path, content);
    const size_t slash = path.find('/');
    const auto all = sections();
    const auto section = std::ranges::find_if(all, [&](const Section& each) {
      return !each.folder.empty() && each.folder == std::string_view(path).substr(0, slash);
    });
    if (slash == std::string::npos || section == all.end()) return problem(path, "is not a file of a bundle");
    const std::string_view file = std::string_view(path).substr(slash + 1);
    if (file.contains('/')) return problem(path, "is too deep: a folder of a bundle cannot contain folders");
    const size_t dot = file.find('.');
    const std::string_view name = file.substr(0, dot);
    const std::string_view ending = dot == std::string_view::npos ? "" : file.substr(dot);
    const bool code = ending == ".ts" && section->name == kFunctions;
    if (!isSafeName(name) || (ending != ".json" && !code)) return problem(path, "is not a file of a bundle");
    if (!code) readEntry(*section, path, name, content);
  }

  std::optional<ValueView> parse(const std::string& path, std::string_view content, BsonType type) {
    doc::JsonLimits limits;
    limits.extended = doc::ExtendedJson::refuse;  // objects in extended JSON stay as they are written
    auto parsed = doc::parseJsonValue(content, limits);
    if (!parsed) {
      problem(path, parsed.error().message());
      return std::nullopt;
    }
    const ValueView value = parsed_.emplace_back(std::make_unique<File>(*std::move(parsed)))->value();
    if (value.type() == type) return value;
    problem(path, type == BsonType::array ? "must hold an array" : "must hold an object");
    return std::nullopt;
  }

  void readWhole(const std::string& path, std::string_view content) {
    const auto all = sections();
    const auto section = std::ranges::find(all, path, &Section::file);
    const bool array = section != all.end() && !section->key.empty();
    const auto value = parse(path, content, array ? BsonType::array : BsonType::document);
    if (!value) return;
    if (path != kMeta) {
      wholes_[path] = *value;
      return;
    }
    const auto version = value->asDocument().find("formatVersion");
    if (!version || !version->isNumber() || version->toInteger() != kFormatVersion) {
      problem(path, fmt::format("must have the formatVersion {}", kFormatVersion));
    }
    meta_ = *value;
  }

  void readEntry(const Section& section, const std::string& path, std::string_view name, std::string_view content) {
    const auto value = parse(path, content, BsonType::document);
    if (!value) return;
    const bool isDefault = name == kDefaultFile && section.name == "collections";
    const std::string_view expected = isDefault ? kDefaultEntry : name;
    const auto named = value->asDocument().find(section.key);
    if (!named || named->type() != BsonType::string || named->asString() != expected) {
      return problem(path, fmt::format("must have the {} \"{}\", like the file's name", section.key, expected));
    }
    ValueView entry = *value;
    if (section.name == kFunctions) entry = withCode(path, name, entry.asDocument());
    entries_[section.name][std::string(expected)] = entry;
  }

  // The entry with the code instead of the file's name.
  ValueView withCode(const std::string& path, std::string_view name, DocumentView entry) {
    doc::BsonWriter out;
    out.beginDocument("");
    for (const doc::Element& field : entry) {
      if (field.key != kCodeFile) {
        out.append(field.key, field.value);
        continue;
      }
      const std::string file = fmt::format("{}.ts", name);
      const std::string codePath = fmt::format("{}/{}", kFunctions, file);
      const auto code = files_.find(codePath);
      if (field.value.type() != BsonType::string || field.value.asString() != file) {
        problem(path, fmt::format("codeFile must be \"{}\"", file));
      } else if (code == files_.end()) {
        problem(path, fmt::format("its code is missing: {} does not exist", codePath));
      } else {
        out.appendString(kCode, codeText(code->second));
      }
      codeUsed_.insert(codePath);
    }
    out.end();
    return parsed_.emplace_back(std::make_unique<File>(out.finish()))->value();
  }

  void append(doc::BsonWriter& out, const Section& section) {
    if (!section.file.empty()) {
      if (const auto found = wholes_.find(section.file); found != wholes_.end()) {
        out.append(section.name, found->second);
      } else if (!section.optional) {
        out.beginArray(section.name);
        out.end();
      }
      return;
    }
    const auto& entries = entries_[section.name];
    if (entries.empty() && section.optional) return;
    out.beginArray(section.name);
    size_t index = 0;
    for (const auto& [name, entry] : entries) out.append(doc::arrayKey(index++), entry);
    out.end();
  }

  std::map<std::string, std::string, std::less<>> files_;
  std::vector<std::unique_ptr<File>> parsed_;
  std::map<std::string, ValueView, std::less<>> wholes_;
  std::map<std::string_view, std::map<std::string, ValueView>> entries_;
  std::set<std::string> codeUsed_;
  std::optional<ValueView> meta_;
  std::vector<ErrorDetail> problems_;
};

}  // namespace

Result<Bundle> bundleOf(DocumentView exported) {
  return BundleWriter().write(exported);
}

Result<doc::Document> documentOf(const Bundle& bundle) {
  return BundleReader(bundle).join();
}

bool isForeign(std::string_view path) {
  if (isWholeFile(path)) return false;
  if (path.starts_with('.') || path.contains("/.")) return true;
  const std::string_view folder = path.substr(0, path.find('/'));
  return folder.size() == path.size() ||
         std::ranges::none_of(sections(), [&](const Section& each) { return each.folder == folder; });
}

}  // namespace mb::configuration
