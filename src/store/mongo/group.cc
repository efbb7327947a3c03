#include "store/mongo/group.h"

#include <random>
#include <thread>

#include "base/log.h"
#include "store/mongo/attempt.h"
#include "store/write_steps.h"

namespace mb::store::mongo {

namespace {

// How long runs may lose against others before the writes fail with unavailable. The transactions of a killed instance
// are ended within less.
constexpr std::chrono::seconds kLosingTime{15};
// Runs that lose before one takes the heads first: a write that bumps the epoch of another project, whose head is moved
// all the time, would never end otherwise.
constexpr int kPolite = 4;
constexpr std::chrono::seconds kGroupTime{30};
// How long a commit with an unknown outcome is sent again.
constexpr std::chrono::seconds kUnknownTime{5};

Error busy() {
  return Error(ErrorCode::unavailable, "the documents are being written by others: try again");
}

void resume(PendingWrite& write, Result<WriteOutcome> result) {
  write.resumer.resume(std::move(result));
}

void failAll(std::span<PendingWrite* const> writes, const Error& error) {
  for (PendingWrite* each : writes) resume(*each, fail(error.clone()));
}

// Makes a run's results known, and resumes its writes.
void finish(const GroupContext& context, Attempt& attempt) {
  if (attempt.committed()) {
    attempt.publish();
    ++context.counts.groups;
    context.counts.writes += attempt.slots().size();
  }
  for (Attempt::Slot& slot : attempt.slots()) {
    resume(*slot.write, slot.error ? Result<WriteOutcome>(fail(*std::move(slot.error)))
                                   : Result<WriteOutcome>(std::move(slot.outcome)));
  }
  for (const auto& [project, position] : attempt.positions()) context.listeners.notify(project, position);
}

// Whether a commit took place whose outcome is unknown; nullopt if that cannot be found out until `end`.
std::optional<bool> settle(Attempt& attempt, Deadline end) {
  while (true) {
    if (const auto outcome = attempt.settle()) return *outcome;
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

// Exponential, with a random part, 50 ms at most.
void pause(int attempt) {
  thread_local std::minstd_rand random(std::random_device{}());
  const uint64_t most = uint64_t{500} << std::min(attempt, 6);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % std::min<uint64_t>(most, 50'000)));
}

}  // namespace

Error unknownOutcome(std::string cause) {
  return Error(ErrorCode::unavailable, "the outcome of the write is not known: read before you write again")
      .withCause(std::move(cause));
}

PendingWrite::PendingWrite(Write given, WriteCallback givenCallback, Executor caller)
    : options(given.options),
      conditions(given.conditions()),
      targets(given.takeTargets()),
      inserts(given.takeInserts()),
      logged(given.takeLogged()),
      callback(std::move(givenCallback)),
      executor(std::move(caller)) {
  addTargets(targets, inserts);
}

std::vector<PendingWrite*> Group::run(std::vector<PendingWrite*> writes) {
  std::vector<PendingWrite*> again;
  const auto began = std::chrono::steady_clock::now();
  const Deadline end = began + kGroupTime;
  for (int number = 1; !writes.empty(); ++number) {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(writes, [&](PendingWrite* each) {
      const bool late = each->options.deadline != Deadline() && each->options.deadline < now;
      if (late) resume(*each, fail(busy()));
      return late;
    });
    if (writes.empty()) break;
    if (now > began + kLosingTime) {
      failAll(writes, busy());
      break;
    }
    context_.leases.wait(project_);
    Attempt attempt(context_, connection_, project_, writes, more_, number > kPolite);
    const auto done = attempt.run(now + kUnknownTime);
    if (done) {
      finish(context_, attempt);
      break;
    }
    const CommandError& error = done.error();
    // Ends the transaction before the next one of this connection.
    if (!error.unknownCommit) connection_.abort();
    const Attempt::Refused& refused = attempt.refused();
    if (error.code == CommandError::kDuplicateKey) {
      PendingWrite* const culprit = refused.write;
      if (culprit != nullptr && refused.index.empty()) {
        // An id that was thought to be new, or that another instance has inserted since: look again.
        for (WriteTarget& target : culprit->targets) target.idIsNew = false;
        continue;
      }
      if (culprit != nullptr && writes.size() == 1) {
        resume(*culprit, fail(uniqueViolation(refused.index, refused.target)));
        break;
      }
      // The value may be one that another write of the group takes, so its outcome is that of a run alone.
      if (culprit != nullptr) {
        std::erase(writes, culprit);
        culprit->alone = true;
        again.push_back(culprit);
      } else {
        for (PendingWrite* each : writes) each->alone = true;
        again.insert(again.end(), writes.begin(), writes.end());
        writes.clear();
      }
      continue;
    }
    if (error.unknownCommit) {
      const std::optional<bool> committed = settle(attempt, end);
      logWarn("a commit had no outcome", {{"project", project_},
                                          {"cause", error.message},
                                          {"committed", !committed   ? "not known"
                                                        : *committed ? "yes"
                                                                     : "no"}});
      if (committed && !*committed) continue;
      if (committed) {
        finish(context_, attempt);
      } else {
        attempt.publishUnknown();
        failAll(writes, unknownOutcome(error.message));
      }
      break;
    }
    if (error.transient || error.code == CommandError::kWriteConflict) {
      // What this instance knows of the project may be the reason.
      if (attempt.stale() || number > 1) (void)context_.states.reload(connection_, project_);
      if (!attempt.stale()) pause(number);
      continue;
    }
    failAll(writes, unavailableError(error));
    break;
  }
  return again;
}

}  // namespace mb::store::mongo
