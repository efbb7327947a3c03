// Version and commit of this build; set by the build (version.cc.in).
#pragma once

namespace mb::app {

extern const char* const kVersion;
extern const char* const kCommit;
extern const char* const kChartVersion;

}  // namespace mb::app
