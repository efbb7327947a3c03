#include "store/embedded/slow_queries.h"

#include "base/log.h"
#include "document/filter_write.h"

namespace mb::store::embedded {

namespace {

constexpr std::chrono::seconds kReportWindow{10};
constexpr int kLinesPerWindow = 20;
constexpr size_t kShapeBytes = 500;

using doc::FilterNode;
using doc::FilterOp;

void append(std::string& out, const FilterNode& node);

void appendChildren(std::string& out, const FilterNode& node, std::string_view between) {
  bool first = true;
  for (const auto& child : node.children) {
    if (!first) out += between;
    first = false;
    append(out, *child);
  }
}

void append(std::string& out, const FilterNode& node) {
  if (out.size() > kShapeBytes) return;
  if (node.op == FilterOp::all) return appendChildren(out, node, ", ");
  if (!node.path.dotted().empty()) out += node.path.dotted() + ' ';
  out += doc::operatorName(node.op);
  if (node.children.empty()) return;
  out += '(';
  appendChildren(out, node, node.op == FilterOp::any || node.op == FilterOp::none ? " | " : ", ");
  out += ')';
}

std::string sortOf(const Query& query) {
  std::string out;
  for (const SortKey& key : query.sort) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", key.path, key.direction);
  return out.substr(0, kShapeBytes);
}

}  // namespace

std::string shapeOf(const doc::Filter& filter) {
  std::string out;
  append(out, filter.root());
  if (out.size() <= kShapeBytes) return out;
  // Must not split a UTF-8 character.
  size_t end = kShapeBytes;
  while (end > 0 && (static_cast<uint8_t>(out[end]) & 0xC0) == 0x80) --end;
  out.resize(end);
  return out + " ...";
}

std::optional<uint64_t> SlowQueries::admit() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - windowStart_ > kReportWindow) {
    windowStart_ = now;
    inWindow_ = 0;
  }
  if (++inWindow_ > kLinesPerWindow) {
    ++leftOut_;
    return std::nullopt;
  }
  return std::exchange(leftOut_, 0);
}

void SlowQueries::log(const Query& query, const Explain& explain, std::chrono::steady_clock::duration took,
                      std::string_view kind) {
  const std::optional<uint64_t> leftOut = admit();
  if (!leftOut) return;
  logWarn("slow query", {{"kind", kind},
                         {"project", query.collection.project},
                         {"collection", query.collection.number},
                         {"filter", shapeOf(query.filter)},
                         {"sort", sortOf(query)},
                         {"index", explain.index},
                         {"keysExamined", explain.keysExamined},
                         {"documentsExamined", explain.documentsExamined},
                         {"timeMs", std::chrono::duration<double, std::milli>(took).count()},
                         {"leftOut", *leftOut}});
}

}  // namespace mb::store::embedded
