// Encodes frames to a worker. Private to workers/.
#pragma once

#include "clone/format.h"
#include "clone/frames.h"
#include "workers/job.h"

namespace mb::workers {

// The job of a run, with its frame. Fails with validation if event and context are nested too deeply, or too large.
Result<JobPtr> jobOf(RunRequest request);
JobPtr checkJobOf(store::ProjectNo project, std::string_view source, bool typescript);

// Completes the job's frame.
void number(Job& job, uint64_t run);

void appendLoad(std::string& out, const Module& module);
void appendUnload(std::string& out, std::string_view id);
// The reply to a call; `bytes` gets the size of its value. A value that is too large or too deep becomes an error.
std::string replyFrame(uint32_t call, const Result<doc::Value>& result, size_t& bytes);

}  // namespace mb::workers
