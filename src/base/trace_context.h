// The trace context of a request (W3C Trace Context, https://www.w3.org/TR/trace-context/): the header `traceparent`,
// which Manybase passes on unchanged, as it records no spans of its own.
#pragma once

#include <string>
#include <string_view>

namespace mb {

inline constexpr std::string_view kTraceHeader = "traceparent";
inline constexpr size_t kTraceparentBytes = 55;

// The header's value in version 00 of the format, kTraceparentBytes long; of a later version the fields that 00 has.
// "" for an invalid value.
std::string traceContext(std::string_view header);

}  // namespace mb
