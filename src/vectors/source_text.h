// The text of a document that a field in mode auto makes its vector of.
#pragma once

#include "document/path.h"
#include "vectors/vector_types.h"

namespace mb::vectors {

// Of one text; what is longer is cut.
inline constexpr size_t kMaxTextBytes = 32 << 10;
inline constexpr size_t kMaxLayoutBytes = 4 << 10;

class SourceText {
 public:
  SourceText() = default;
  // All that is wrong with `source`, paths relative to it.
  static std::vector<ErrorDetail> problemsOf(const SourceConfig& source);
  // Of a source without problems.
  explicit SourceText(const SourceConfig& source);

  // Without a template the fields' values in their order, a line each; with one, what it makes of them. "" where none
  // of the fields has a value. Strings, numbers and truth values count, those of arrays joined by ", ".
  std::string of(doc::DocumentView document) const;
  const std::vector<doc::FieldPath>& paths() const { return paths_; }

 private:
  struct Piece {
    std::string text;      // what stands before ...
    int placeholder = -1;  // ... the value of this field; -1 at the end
  };
  static std::vector<Piece> piecesOf(std::string_view layout, const SourceConfig& source,
                                     std::vector<ErrorDetail>& problems);

  std::vector<doc::FieldPath> paths_;
  std::vector<Piece> pieces_;  // empty without a template
};

}  // namespace mb::vectors
