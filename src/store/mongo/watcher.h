// The Watcher makes what other instances commit known to this one. A change stream of the shared database brings, in
// the order of commits, the heads of projects, notices, and beats: each instance writes one every 250 ms. All that was
// acknowledged before a beat was sent has been seen once that beat is seen, so its own beat shows an instance how old
// its knowledge can be. Change streams: https://www.mongodb.com/docs/manual/changeStreams/
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/id.h"
#include "store/change_feed.h"
#include "store/marks.h"
#include "store/mongo/project_states.h"
#include "store/mongo/write_leases.h"

namespace mb::store::mongo {

// A document of `notices`: what a commit sends to the other instances besides its heads. The server removes it after
// ten minutes. {_id, by: <instance>, at, notices: [{p, k, key}], stripes: [<number>]}
doc::Document encodeNotices(std::string_view id, std::string_view instance, Timestamp at,
                            std::span<const Notice> notices, std::span<const uint32_t> stripes);

class Watcher {
 public:
  // What it keeps up to date. All outlive it.
  struct Targets {
    const Names& names;
    ProjectStates& states;
    Marks& marks;
    Notices& notices;
    FeedListeners& listeners;
    WriteLeases& leases;
    const std::string& instance;
  };
  Watcher(std::string uri, const Targets& targets) : uri_(std::move(uri)), to_(targets) {}
  ~Watcher() { stop(); }

  // Returns once fresh() is true; fails with unavailable if that takes longer than 30 s. Blocks.
  Result<> start();
  // Marks its beats as ended. Blocks until a running command ends.
  void stop();
  // Whether an instance has sent a beat within the last half minute; true too for the first half minute of this one.
  bool isAlive(const std::string& instance) const;
  // From now on, each beat stores the highest time of an id.
  void rememberIdsOf(const IdGenerator& ids) { ids_ = &ids; }
  // Whether all commits are known that were acknowledged more than kEpochFreshness ago. Any thread.
  bool fresh() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  void follow(const std::stop_token& stop);
  // Reads one change stream until it fails; `token` is where the next one continues.
  Outcome<> readStream(const std::stop_token& stop, Connection& connection, std::optional<doc::Document>& token);
  Outcome<> readMissed(Connection& connection);
  void handle(doc::DocumentView event);
  void handleHead(doc::DocumentView key, doc::DocumentView fields);
  void handleNotices(doc::DocumentView document);
  void beat(const std::stop_token& stop);
  void noteBeat(std::string_view instance, int64_t number);

  const std::string uri_;
  const Targets to_;
  std::atomic<const IdGenerator*> ids_{nullptr};
  std::atomic<int64_t> seen_{0};  // when the last beat that was seen was sent, ns of steady_clock; 0: none
  const Time started_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Time, std::less<>> beats_;  // when the last one of each instance was seen
  std::map<int64_t, Time> sent_;                    // beats that were not seen, the last ones
  std::string problem_;                             // why the stream failed last
  std::jthread follower_;
  std::jthread beater_;
};

}  // namespace mb::store::mongo
