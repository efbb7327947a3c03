// A project with functions on a store in memory, and an executor that the test scripts.
#pragma once

#include "base/log.h"
#include "base/testing.h"
#include "configuration/configuration_fixture.h"
#include "events/dispatcher.h"
#include "functions/functions.h"
#include "functions/functions_runtime.h"
#include "functions/run_log.h"
#include "functions/timetable.h"
#include "integrations/integrations.h"
#include "plans/settable_plan_fixture.h"
#include "store/testing/writing.h"

namespace mb::functions {

using Outcome = workers::RunOutcome;

inline Outcome gives(std::string_view resultJson) {
  Outcome outcome;
  outcome.status = workers::RunStatus::success;
  outcome.result = doc::Value(doc::parseJsonValue(resultJson)->view().begin()->value);
  outcome.wall = std::chrono::milliseconds(7);
  return outcome;
}

inline Outcome ends(workers::RunStatus status, std::string error = {}) {
  Outcome outcome;
  outcome.status = status;
  outcome.error = std::move(error);
  return outcome;
}

// Returns the outcomes that the test has set for a piece of code; null if none are set. Records the requests.
class FakeExecutor final : public workers::Executor {
 public:
  using Script = std::function<Async<Outcome>(workers::RunRequest)>;

  Async<Outcome> run(workers::RunRequest request) override {
    Script script;
    std::optional<Outcome> scripted;
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
      requests_.back().bridge.reset();
      const std::string& code = request.module->source;
      if (const auto found = scripts_.find(code); found != scripts_.end()) script = found->second;
      if (auto& outcomes = outcomes_[code]; !outcomes.empty()) {
        scripted = outcomes.front();
        if (outcomes.size() > 1) outcomes.erase(outcomes.begin());
      }
    }
    const auto bridge = request.bridge;
    Outcome outcome = gives("null");
    if (script) {
      outcome = co_await script(std::move(request));
    } else if (scripted) {
      outcome = *scripted;
    }
    if (bridge) bridge->settled();
    co_return outcome;
  }
  Task<workers::CheckedCode> check(store::ProjectNo, std::string source, bool) override {
    co_return workers::CheckedCode{std::move(source), ""};
  }

  void script(std::string code, Script script) {
    const std::scoped_lock lock(mutex_);
    scripts_[std::move(code)] = std::move(script);
  }
  // Sets the outcomes of successive runs; the last one repeats.
  void answer(std::string code, std::vector<Outcome> outcomes) {
    const std::scoped_lock lock(mutex_);
    outcomes_[std::move(code)] = std::move(outcomes);
  }
  std::vector<workers::RunRequest> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  size_t runs() const { return requests().size(); }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, std::vector<Outcome>> outcomes_;
  std::vector<workers::RunRequest> requests_;
};

// Returns "<name>.<op> <arguments>"; knows `mail` with the operation `send`, which needs "to".
class FakeIntegrations final : public integrations::Caller {
 public:
  Task<doc::Value> call(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments,
                        integrations::CallOptions) override {
    const std::string text = fmt::format("{}.{} {}", name, op, doc::toJson(arguments));
    CO_RETURN_IF_ERROR(co_await check(std::move(project), std::move(name), std::move(op), std::move(arguments)));
    doc::BsonWriter out;
    out.appendString("", text);
    co_return doc::Value(out.finish().view().begin()->value);
  }
  Task<> check(snapshot::SnapshotPtr, std::string name, std::string op, doc::Document arguments) override {
    if (name != "mail") co_return fail(ErrorCode::notFound, "no such integration");
    if (op != "send" || !arguments.view().find("to")) co_return fail(ErrorCode::validation, "send needs to");
    co_return Result<>();
  }
};

class RunningFixture : public configuration::ConfigurationFixture {
 protected:
  RunningFixture() : ConfigurationFixture(systemCollections()) {
    configureLog(LogLevel::off, LogFormat::text);
    EXPECT_TRUE(run(dispatcher_.start()));
    queue_.start();
    identity_.users().setFollower(running_.userFollower());
  }
  ~RunningFixture() override {
    store_.stopAfter(-1);
    dispatcher_.stop(std::chrono::seconds(20));
    queue_.stop(std::chrono::seconds(20));
  }

  // Stores a function whose code is its name; a database function follows the changes from now on.
  void define(const std::string& name, std::string_view trigger, std::string_view more = "{}") {
    FunctionRecord record;
    record.id = name;
    record.functionId = "fn_" + name;
    record.trigger = json(trigger);
    record.timing = "post";
    record.enabled = true;
    record.code = record.runs = name;
    record.version = 1;
    record.createdAt = record.updatedAt = clock_.now();
    if (const auto collection = record.trigger.view().find("collection")) {
      const auto* found = snapshot(shop_)->get(data_->slot()).find(collection->asString());
      if (found) record.collectionNo = (*found)->info.number;
    }
    doc::BsonWriter out;
    const doc::Document encoded = doc::encode(record);
    // Like request bodies of the admin plane.
    const doc::Document given = *doc::parseJson(more, {.extended = doc::ExtendedJson::refuse});
    for (const doc::Element& field : encoded.view()) {
      if (!given.view().find(field.key)) out.append(field.key, field.value);
    }
    out.appendAll(given);
    const snapshot::ProjectInfo project = snapshot(shop_)->info();
    const events::Dispatcher::Joining joining = run(dispatcher_.join(project)).value();
    const doc::Document stored = out.finish();
    store::Write write({.deadline = soon(), .actor = {}, .bumpEpochs = {shop_}});
    const store::Target function = write.change({shop_, kFunctions, 0}, name);
    const store::Target cursor = write.change(joining.target());
    const store::Target timetable = write.change(timetableTarget(shop_, record.functionId));
    EXPECT_TRUE(run(store_.write(
        std::move(write), [=, now = clock_.now()](const store::PreImages& before, store::Changes& changes) -> Result<> {
          changes.put(function, stored);
          TRY(store::Change joins, joining.change(before[cursor]));
          changes.set(cursor, std::move(joins));
          TRY(const auto after, doc::decode<FunctionRecord>(stored));
          changes.set(timetable, timetableChange(before[timetable], project, after, now));
          return {};
        })));
    dispatcher_.joined(joining);
  }
  void undefine(const std::string& name) {
    store::WriteOptions options{.deadline = soon(), .actor = {}, .bumpEpochs = {shop_}};
    EXPECT_TRUE(run(store::testing::remove(store_, {shop_, kFunctions, 0}, name, std::move(options))));
  }
  FunctionPtr function(const std::string& name) { return snapshot(shop_)->get(tables_.slot).find(name); }

  void collection(const std::string& name, std::string_view schema = "") {
    const policy::Caller caller = admin();
    const snapshot::SnapshotPtr now = snapshot(shop_);
    EXPECT_TRUE(run(data_->collections().create({caller, now}, name)));
    if (schema.empty()) return;
    const snapshot::SnapshotPtr then = snapshot(shop_);
    EXPECT_TRUE(run(data_->collections().setSchema({caller, then}, name, json(schema))));
  }
  // Like a client's writes: with pre-hooks.
  Result<std::string> create(const std::string& collection, std::string_view body) {
    const policy::Caller caller = admin();
    auto made = run(
        data_->documents().create({caller, snapshot(shop_), data::Authority::admin, soon()}, collection, json(body)));
    if (!made) return std::unexpected(std::move(made).error());
    return doc::toJson(made->document);
  }
  Result<> patch(const std::string& collection, const std::string& id, std::string_view body) {
    const policy::Caller caller = admin();
    auto made = run(data_->documents().update({caller, snapshot(shop_), data::Authority::admin, soon()}, collection, id,
                                              json(body)));
    if (!made) return std::unexpected(std::move(made).error());
    return {};
  }
  Result<> remove(const std::string& collection, const std::string& id) {
    const policy::Caller caller = admin();
    return run(data_->documents().remove({caller, snapshot(shop_), data::Authority::admin, soon()}, collection, id));
  }
  // Of a project's documents.
  std::vector<doc::Document> stored(const std::string& name) {
    const auto* found = snapshot(shop_)->get(data_->slot()).find(name);
    return found ? memory_.all((*found)->ref) : std::vector<doc::Document>();
  }

  void suspend() { setStatus(snapshot::ProjectStatus::suspended, {}); }
  void resume() {
    doc::BsonWriter record;
    record.appendDate("resumedAt", clock_.now());
    setStatus(snapshot::ProjectStatus::active, record.finish());
  }
  FinishedRun invoke(const std::string& name, Invocation more = {}) {
    more.project = snapshot(shop_);
    more.function = function(name);
    if (more.trigger.empty()) more.trigger = "manual";
    return *run(running_.runner().run(std::move(more)));
  }
  std::vector<RunView> log(const std::string& name) {
    auto runs = run(running_.log().list({shop_, name, "fn_" + name}, kMaxRuns));
    EXPECT_TRUE(runs);
    return runs ? *std::move(runs) : std::vector<RunView>();
  }
  size_t jobs() const { return memory_.all({store::kControlProject, jobs::kJobs, 0}).size(); }
  bool ran(size_t times) {
    return until([&] { return executor_.runs() >= times && jobs() == 0; }) && executor_.runs() == times;
  }
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time.count());
    queue_.wake();
  }
  doc::Document eventOf(size_t at) { return executor_.requests().at(at).event; }

  struct Tables {
    Tables(store::DocumentStore& store, snapshot::Snapshots& snapshots)
        : source(store), slot(snapshots.addSlot<FunctionTable>(source)) {}
    FunctionTables source;
    const snapshot::SlotKey<FunctionTable> slot;
  };

  FakeExecutor executor_;
  FakeIntegrations integrations_;
  jobs::Queue queue_{{store_, cores_, ids_, clock_, master_, nullptr,
                      [this](store::ProjectNo project) { return isSuspended(project); }}};
  events::Dispatcher dispatcher_{{store_, memory_.feed(), queue_, snapshots_, cores_}};
  Tables tables_{store_, snapshots_};
  plans::SettablePlan plan_{snapshots_};
  FunctionsRuntime running_{{store_, snapshots_, tables_.slot, plan_.slot, queue_, dispatcher_, *data_, executor_,
                             integrations_, variables_, cores_, ids_, clock_, auditor_, "http://localhost:8090", 8}};

 private:
  Task<bool> isSuspended(store::ProjectNo project) {
    CO_TRY(const auto info, co_await directory_.byNumber(project));
    co_return info && info->status == snapshot::ProjectStatus::suspended;
  }
  void setStatus(snapshot::ProjectStatus status, doc::Document record) {
    directory_.change(shop_, [&](snapshot::ProjectInfo& info) {
      info.status = status;
      info.record = std::move(record);
    });
    memory_.bumpEpoch(shop_);
    queue_.projectChanged(shop_);
    dispatcher_.resumed(shop_);
  }
};

}  // namespace mb::functions
