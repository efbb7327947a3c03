// FairQueue decides what may start next: bounds on running and waiting items, round robin over projects, and within a
// project over its groups. Not thread-safe; its owner locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mb {

// The project of an item, and the target and group that bound how many items run at the same time.
struct LineKeys {
  std::string project;
  std::string target;      // "": only the bounds of the group, the project and of all
  std::string group = {};  // shares its project's slots round robin; "" is a group like any other
};

struct QueueLimits {
  size_t running = 64;
  size_t runningOfProject = 16;
  size_t runningOfTarget = 4;
  size_t waiting = 1024;
  size_t waitingOfProject = 256;
};

// How many items of a group may run now. Called whenever the group is considered.
using GroupLimit = std::function<size_t(const std::string& project, const std::string& group)>;

// A queue of T. An item leaves it exactly once: by next(), expired(), takeAll() or takeProject().
template <class T>
class FairQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Without `groupLimit` only the project's bounds apply to a group.
  explicit FairQueue(QueueLimits limits, GroupLimit groupLimit = {})
      : limits_(limits), groupLimit_(std::move(groupLimit)) {}

  size_t waiting() const { return waiting_; }
  size_t running() const { return running_; }

  // False, with `item` left as it is, when too many wait.
  bool push(const LineKeys& keys, Time deadline, T& item) {
    if (waiting_ >= limits_.waiting) return false;
    Project& project = projects_[keys.project];
    if (project.waiting >= limits_.waitingOfProject) return false;
    if (project.waiting++ == 0) turns_.push_back(keys.project);
    Group& group = project.groups[keys.group];
    if (group.items.empty()) project.turns.push_back(keys.group);
    group.items.push_back({keys.target, deadline, std::move(item)});
    ++waiting_;
    return true;
  }

  // The next item that may start; it counts as running until done() is called with its keys. nullopt when none may
  // start.
  std::optional<T> next() {
    if (running_ >= limits_.running) return std::nullopt;
    for (size_t tried = turns_.size(); tried > 0; --tried) {
      std::string name = std::move(turns_.front());
      turns_.pop_front();
      Project& project = projects_[name];
      std::optional<T> item = startOne(name, project);
      if (project.waiting > 0) turns_.push_back(std::move(name));
      if (item) return item;
    }
    return std::nullopt;
  }

  void done(const LineKeys& keys) {
    --running_;
    const auto project = projects_.find(keys.project);
    --project->second.running;
    if (!keys.target.empty()) {
      const auto target = project->second.targets.find(keys.target);
      if (--target->second == 0) project->second.targets.erase(target);
    }
    const auto group = project->second.groups.find(keys.group);
    if (--group->second.running == 0 && group->second.items.empty()) project->second.groups.erase(group);
    if (project->second.groups.empty()) projects_.erase(project);
  }

  // Removes and returns the waiting items whose deadline has passed.
  std::vector<T> expired(Time now) {
    return takeIf([now](const Item& item) { return item.deadline <= now; });
  }
  std::vector<T> takeAll() {
    return takeIf([](const Item&) { return true; });
  }
  // Removes and returns the waiting items of one project. Its running items continue.
  std::vector<T> takeProject(const std::string& name) {
    std::vector<T> taken;
    const auto project = projects_.find(name);
    if (project == projects_.end()) return taken;
    takeOf(project->second, [](const Item&) { return true; }, taken);
    std::erase(turns_, name);
    if (project->second.groups.empty()) projects_.erase(project);
    return taken;
  }
  std::optional<Time> earliestDeadline() const {
    std::optional<Time> earliest;
    for (const auto& [_, project] : projects_) {
      for (const auto& [_, group] : project.groups) {
        for (const Item& item : group.items) earliest = earliest ? std::min(*earliest, item.deadline) : item.deadline;
      }
    }
    return earliest;
  }

 private:
  struct Item {
    std::string target;
    Time deadline;
    T value;
  };
  struct Group {
    std::deque<Item> items;
    size_t running = 0;
  };
  struct Project {
    std::map<std::string, Group> groups;  // with items that wait or run
    std::deque<std::string> turns;        // groups with waiting items, next first
    size_t waiting = 0;
    size_t running = 0;
    std::map<std::string, size_t> targets;  // runs of each
  };

  std::optional<T> startOne(const std::string& name, Project& project) {
    if (project.running >= limits_.runningOfProject) return std::nullopt;
    for (size_t tried = project.turns.size(); tried > 0; --tried) {
      std::string groupName = std::move(project.turns.front());
      project.turns.pop_front();
      Group& group = project.groups[groupName];
      const bool full = groupLimit_ && group.running >= groupLimit_(name, groupName);
      std::optional<T> item = full ? std::nullopt : startOne(project, group);
      if (!group.items.empty()) project.turns.push_back(std::move(groupName));
      if (item) return item;
    }
    return std::nullopt;
  }

  std::optional<T> startOne(Project& project, Group& group) {
    for (auto item = group.items.begin(); item != group.items.end(); ++item) {
      if (!item->target.empty()) {
        size_t& runs = project.targets[item->target];
        if (runs >= limits_.runningOfTarget) continue;
        ++runs;
      }
      T value = std::move(item->value);
      group.items.erase(item);
      --waiting_;
      --project.waiting;
      ++running_;
      ++project.running;
      ++group.running;
      return value;
    }
    return std::nullopt;
  }

  template <class Condition>
  std::vector<T> takeIf(Condition condition) {
    std::vector<T> taken;
    for (auto project = projects_.begin(); project != projects_.end();) {
      takeOf(project->second, condition, taken);
      if (project->second.waiting == 0) std::erase(turns_, project->first);
      project = project->second.groups.empty() ? projects_.erase(project) : std::next(project);
    }
    return taken;
  }

  template <class Condition>
  void takeOf(Project& project, Condition condition, std::vector<T>& taken) {
    for (auto group = project.groups.begin(); group != project.groups.end();) {
      std::deque<Item>& items = group->second.items;
      for (auto item = items.begin(); item != items.end();) {
        if (!condition(*item)) {
          ++item;
          continue;
        }
        taken.push_back(std::move(item->value));
        item = items.erase(item);
        --waiting_;
        --project.waiting;
      }
      if (items.empty()) std::erase(project.turns, group->first);
      const bool unused = items.empty() && group->second.running == 0;
      group = unused ? project.groups.erase(group) : std::next(group);
    }
  }

  const QueueLimits limits_;
  const GroupLimit groupLimit_;
  std::map<std::string, Project> projects_;  // with items that wait or run
  std::deque<std::string> turns_;            // projects with waiting items, next first
  size_t waiting_ = 0;
  size_t running_ = 0;
};

}  // namespace mb
