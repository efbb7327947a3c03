#include "document/strip_fields.h"

#include "base/work_budget.h"
#include "document/field_tree.h"

namespace mb::doc {
namespace {

using Level = FieldTree::Level;

// Units of a WorkBudget.
constexpr int64_t kStripUnitsPerField = 15;
constexpr size_t kUsualBytes = 1024;  // of a document

// Moves the remaining fields towards the front; adjacent fields in one move. The end of the moved bytes is never past
// the current field, so nothing is overwritten before it is read.
class Compactor {
 public:
  explicit Compactor(char* bytes) : bytes_(bytes) {}

  // Moves the container at `from` to `to`; returns its new end.
  size_t compact(size_t from, size_t to, const Level& level, bool isArray) {
    const size_t begin = to;
    const size_t end = from + static_cast<size_t>(lengthAt(from)) - 1;
    size_t unmoved = from + sizeof(int32_t);
    to += sizeof(int32_t);
    const auto moveUntil = [&](size_t until) {
      if (to != unmoved) std::memmove(bytes_ + to, bytes_ + unmoved, until - unmoved);
      to += until - unmoved;
      unmoved = until;
    };
    Level below;
    size_t index = 0;
    bool removed = false;
    for (size_t at = unmoved, next = 0; at < end; at = next) {
      const auto type = static_cast<BsonType>(static_cast<uint8_t>(bytes_[at]));
      const std::string_view key(bytes_ + at + 1);
      const size_t data = at + 2 + key.size();
      next = data + valueSize(type, bytes_ + data);
      ++walked_;
      const bool covered = isArray ? FieldTree::enterElement(level, key, below) : FieldTree::enter(level, key, below);
      if (covered) {
        moveUntil(at);
        unmoved = next;
        removed = true;
        continue;
      }
      const bool inner = !below.empty() && (type == BsonType::document || type == BsonType::array);
      const std::string_view position = isArray && removed ? arrayKey(index) : key;
      ++index;
      if (position == key && !inner) continue;
      moveUntil(at);
      if (position.size() <= key.size()) {  // always where keys are positions
        bytes_[to] = static_cast<char>(type);
        std::memmove(bytes_ + to + 1, position.data(), position.size());
        to += 1 + position.size();
        bytes_[to++] = '\0';
        unmoved = data;
      }
      if (!inner) continue;
      moveUntil(data);
      to = compact(data, to, below, type == BsonType::array);
      unmoved = next;
    }
    moveUntil(end + 1);
    const auto length = static_cast<int32_t>(to - begin);
    std::memcpy(bytes_ + begin, &length, sizeof length);
    return to;
  }
  int64_t walked() const { return walked_; }

 private:
  int32_t lengthAt(size_t at) const {
    int32_t length;
    std::memcpy(&length, bytes_ + at, sizeof length);
    return length;
  }

  char* const bytes_;
  int64_t walked_ = 0;
};

}  // namespace

void stripFields(const FieldSet& fields, std::string& document) {
  if (fields.empty()) return;
  Compactor compactor(document.data());
  document.resize(compactor.compact(0, 0, fields.tree()->top(), false));
  WorkBudget::charge(compactor.walked() * kStripUnitsPerField);
  if (document.capacity() > 2 * document.size() + kUsualBytes) document.shrink_to_fit();
}

}  // namespace mb::doc
