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
#include "store/mongo/beat_history.h"
#include "store/mongo/group.h"
#include "store/mongo/mongo_store.h"
#include "store/mongo/project_states.h"
#include "store/mongo/write_leases.h"
#include "store/peers.h"

namespace mb::store::mongo {

// A document of `notices`: what the commit of a group sends to the other instances besides its heads. The server
// removes it after ten minutes. {_id, by: <instance>, group, at, notices: [{p, k, key}], stripes: [<number>]}
doc::Document encodeNotices(std::string_view instance, uint64_t group, Timestamp at, std::span<const Notice> notices,
                            std::span<const uint32_t> stripes);

class Watcher final : public Peers {
 public:
  // What it keeps up to date. All outlive it.
  struct Targets {
    const Names& names;
    ProjectStates& states;
    Marks& marks;
    Notices& notices;
    FeedListeners& listeners;
    WriteLeases& leases;
    const UnknownGroups& unknown;
    const std::string& instance;
    MongoSettings::Files files = MongoSettings::Files::none;
  };
  Watcher(std::string uri, const Targets& targets) : uri_(std::move(uri)), to_(targets) {}
  ~Watcher() override { stop(); }

  // Returns once fresh() is true; fails with unavailable if that takes longer than 30 s. Blocks.
  Result<> start();
  // Marks its beats as ended. Blocks until a running command ends.
  void stop();
  const std::string& self() const override { return to_.instance; }
  // True for any instance too in the first half minute of beats.
  bool isAlive(const std::string& instance) const override;
  Result<bool> hasOthers() const override;
  // With one of the next two beats.
  void wakeOthers() override { wakes_.fetch_add(1, std::memory_order_relaxed); }
  std::shared_ptr<void> listenForWakes(std::function<void()> listener) override {
    return wakeListeners_.add(std::move(listener));
  }

  // Another instance that runs, or has ended within the last half minute without closing the store.
  struct Other {
    std::string name;
    int64_t beat = 0;
    MongoSettings::Files files = MongoSettings::Files::none;
  };
  // Blocks.
  Outcome<std::vector<Other>> readOthers(Connection& connection) const;
  // The other instances that have not closed the store, and sent no beat for `time` in which there were beats of
  // others; none while this one does not know the latest. Never blocks.
  std::vector<std::string> silentFor(std::chrono::milliseconds time) const;

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
  // Whether a commit of this instance made an event, and published what it changed.
  bool isKnown(std::string_view instance, uint64_t group) const;
  void handleHead(doc::DocumentView key, doc::DocumentView fields);
  void handleNotices(doc::DocumentView document);
  void beat(const std::stop_token& stop);
  void noteBeat(std::string_view instance, doc::DocumentView fields);
  // Whether the last own beat that was seen is at most this old.
  bool seenWithin(std::chrono::nanoseconds time) const;

  const std::string uri_;
  const Targets to_;
  std::atomic<const IdGenerator*> ids_{nullptr};
  std::atomic<int64_t> wakes_{0};  // calls of wakeOthers()
  Listeners<> wakeListeners_;
  std::atomic<int64_t> seen_{0};  // when the last beat that was seen was sent, ns of steady_clock; 0: none
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  BeatHistory history_;
  std::map<int64_t, Time> sent_;  // beats that were not seen, the last ones
  std::string problem_;           // why the stream failed last
  std::jthread follower_;
  std::jthread beater_;
};

}  // namespace mb::store::mongo
