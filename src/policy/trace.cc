#include "policy/trace.h"

namespace mb::policy {

void Trace::add(std::string_view step, bool passed, const std::function<void(doc::BsonWriter&)>& more) {
  doc::BsonWriter out;
  out.appendString("step", step);
  out.appendBool("passed", passed);
  const size_t head = out.size();
  if (more) more(out);
  if (out.size() > kMaxStepBytes) {
    out.rewind(head);
    out.appendBool("truncated", true);
  }
  steps_.push_back(out.finish());
}

}  // namespace mb::policy
