// A FilterParser builds the tree of a filter. Logic and structure are in filter_parser.cc, comparison and the other
// operators in filter_operators.cc.
#pragma once

#include <memory>

#include "document/filter.h"

namespace mb::doc {

class FilterParser {
 public:
  FilterParser(const FilterCoercion* coercion, const FilterLimits& limits) : coercion_(coercion), limits_(limits) {}

  // The conditions of a whole filter, as one node of kind all.
  Result<std::shared_ptr<FilterNode>> conditions(DocumentView source, const std::string& prefix, int depth);

 private:
  // The position of a condition: its own path, and the path from the root of the document.
  struct Position {
    FieldPath path;
    std::string full;
  };
  using Node = std::shared_ptr<FilterNode>;

  Result<> logical(FilterNode& parent, std::string_view op, ValueView value, const std::string& prefix, int depth);
  Result<Position> position(std::string_view key, const std::string& prefix) const;
  Result<> field(FilterNode& parent, const Position& position, ValueView value, int depth);
  Result<> operators(FilterNode& parent, const Position& position, DocumentView source, int depth);
  Result<Node> operation(const Position& position, std::string_view op, ValueView value, int depth);

  Result<Node> comparison(const Position& position, FilterOp op, ValueView value);
  Result<Node> in(const Position& position, std::string_view op, ValueView value);
  Result<Node> inverted(const Position& position, ValueView value, int depth);
  Result<Node> exists(const Position& position, ValueView value);
  Result<Node> type(const Position& position, ValueView value);
  Result<Node> contains(const Position& position, ValueView value, int depth);
  Result<Node> elemMatch(const Position& position, ValueView value, int depth);
  Result<Node> size(const Position& position, ValueView value);
  Result<Node> mod(const Position& position, ValueView value);
  Result<Node> regex(const Position& position, DocumentView source);

  Result<Node> leaf(const Position& position, FilterOp op);
  Node negated(const Position& position, Node child) const;
  Result<Value> literal(const Position& position, ValueView value) const;
  Result<> count(int conditions = 1);
  Result<> checkDepth(int depth) const;
  Result<Pattern> compiledPattern(DocumentView source);
  Result<Pattern> listedPattern(DocumentView source);

  const FilterCoercion* coercion_;
  const FilterLimits& limits_;
  int conditions_ = 0;
  int instructions_ = 0;  // of all patterns
};

}  // namespace mb::doc
