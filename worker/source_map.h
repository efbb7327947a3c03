// A SourceMap maps positions in the running code to positions in the code as it was written: a source map, version 3
// (the source map standard, ECMA-426).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mb::worker {

struct Position {  // from 1; 0: unknown
  uint32_t line = 0;
  uint32_t column = 0;
};

class SourceMap {
 public:
  SourceMap() = default;
  // Parses the field "mappings"; malformed text ends the map.
  explicit SourceMap(std::string_view mappings);

  // The position itself if it has no mapping.
  Position original(Position position) const;

 private:
  struct Segment {
    uint32_t line;  // all from 0
    uint32_t column;
    uint32_t originalLine;
    uint32_t originalColumn;
  };
  std::vector<Segment> segments_;  // in the order of line and column
};

}  // namespace mb::worker
