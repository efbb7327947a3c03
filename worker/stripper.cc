#include "stripper.h"

namespace mb::worker {

namespace {

constexpr char kBytes[] = {
#embed "stripper.js"
};

}  // namespace

const std::string_view kStripper(kBytes, sizeof kBytes);

}  // namespace mb::worker
