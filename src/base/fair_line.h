// Who may start next: bounds on what runs and waits, projects in turn. Not thread-safe; its owner locks.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mb {

// Whose turn something is, and what of it must not overlap with what.
struct LineKeys {
  std::string project;
  std::string target;  // "": only the bounds of the project and of all
};

struct LineLimits {
  size_t running = 64;
  size_t runningOfProject = 16;
  size_t runningOfTarget = 4;
  size_t waiting = 1024;
  size_t waitingOfProject = 256;
};

// T is what waits; it is handed back by next(), expired() or takeAll(), exactly once.
template <class T>
class FairLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit FairLine(LineLimits limits) : limits_(limits) {}

  size_t waiting() const { return waiting_; }
  size_t running() const { return running_; }

  // False, with `item` left as it is, when too many wait.
  bool push(const LineKeys& keys, Time deadline, T& item) {
    if (waiting_ >= limits_.waiting) return false;
    Project& project = projects_[keys.project];
    if (project.items.size() >= limits_.waitingOfProject) return false;
    if (project.items.empty()) turns_.push_back(keys.project);
    project.items.push_back({keys.target, deadline, std::move(item)});
    ++waiting_;
    return true;
  }

  // The next that may start, which counts as running until done() is told its keys; nullopt when none may.
  std::optional<T> next() {
    if (running_ >= limits_.running) return std::nullopt;
    for (size_t tried = turns_.size(); tried > 0; --tried) {
      std::string name = std::move(turns_.front());
      turns_.pop_front();
      Project& project = projects_[name];
      std::optional<T> item = startOne(project);
      if (!project.items.empty()) turns_.push_back(std::move(name));
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
    if (project->second.running == 0 && project->second.items.empty()) projects_.erase(project);
  }

  // Those whose deadline has passed, no longer waiting.
  std::vector<T> expired(Time now) {
    return takeIf([now](const Item& item) { return item.deadline <= now; });
  }
  std::vector<T> takeAll() {
    return takeIf([](const Item&) { return true; });
  }
  std::optional<Time> earliestDeadline() const {
    std::optional<Time> earliest;
    for (const auto& [name, project] : projects_) {
      for (const Item& item : project.items) earliest = earliest ? std::min(*earliest, item.deadline) : item.deadline;
    }
    return earliest;
  }

 private:
  struct Item {
    std::string target;
    Time deadline;
    T value;
  };
  struct Project {
    std::deque<Item> items;
    size_t running = 0;
    std::map<std::string, size_t> targets;  // runs of each
  };

  std::optional<T> startOne(Project& project) {
    if (project.running >= limits_.runningOfProject) return std::nullopt;
    for (auto item = project.items.begin(); item != project.items.end(); ++item) {
      if (!item->target.empty()) {
        size_t& runs = project.targets[item->target];
        if (runs >= limits_.runningOfTarget) continue;
        ++runs;
      }
      T value = std::move(item->value);
      project.items.erase(item);
      --waiting_;
      ++running_;
      ++project.running;
      return value;
    }
    return std::nullopt;
  }

  template <class Condition>
  std::vector<T> takeIf(Condition condition) {
    std::vector<T> taken;
    for (auto project = projects_.begin(); project != projects_.end();) {
      std::deque<Item>& items = project->second.items;
      const bool waited = !items.empty();
      for (auto item = items.begin(); item != items.end();) {
        if (!condition(*item)) {
          ++item;
          continue;
        }
        taken.push_back(std::move(item->value));
        item = items.erase(item);
        --waiting_;
      }
      if (waited && items.empty()) std::erase(turns_, project->first);
      if (items.empty() && project->second.running == 0) {
        project = projects_.erase(project);
      } else {
        ++project;
      }
    }
    return taken;
  }

  const LineLimits limits_;
  std::map<std::string, Project> projects_;  // with something that waits or runs
  std::deque<std::string> turns_;            // projects with something that waits, next first
  size_t waiting_ = 0;
  size_t running_ = 0;
};

}  // namespace mb
