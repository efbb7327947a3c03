// Shared by the benchmark's programs: arguments, files of records, and the CPU time of another process.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bench {

// Prints one line with the program's name and exits with code 2.
[[noreturn]] inline void die(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(2);
}

// Parses "--name value" pairs into variables of the program; an unknown name ends it.
class Arguments {
 public:
  template <class T>
  Arguments& take(std::string_view name, T& into) {
    readers_[name] = [&into](const std::string& value) {
      if constexpr (std::is_same_v<T, std::string>) {
        into = value;
      } else if constexpr (std::is_same_v<T, bool>) {
        into = value == "1";
      } else if constexpr (std::is_floating_point_v<T>) {
        into = std::stod(value);
      } else {
        into = static_cast<T>(std::stoull(value));
      }
    };
    return *this;
  }
  void read(int argc, char** argv) const {
    for (int i = 1; i + 1 < argc; i += 2) {
      const auto reader = readers_.find(argv[i]);
      if (reader == readers_.end()) die(std::string("unknown argument ") + argv[i]);
      reader->second(argv[i + 1]);
    }
  }

 private:
  std::map<std::string_view, std::function<void(const std::string&)>> readers_;
};

// Reads records of the form <u32 little-endian length><bytes>; there must be at least one.
inline std::vector<std::string> readRecords(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::string> records;
  uint32_t length = 0;
  while (in.read(reinterpret_cast<char*>(&length), sizeof length)) {
    std::string record(length, '\0');
    if (!in.read(record.data(), length)) die("truncated: " + path);
    records.push_back(std::move(record));
  }
  if (records.empty()) die("nothing in " + path);
  return records;
}

// CPU time in nanoseconds of all threads of a process (schedstat: first field); 0 for process 0.
inline uint64_t cpuNanos(int pid) {
  if (pid == 0) return 0;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  uint64_t total = 0;
  DIR* dir = opendir(tasks.c_str());
  if (dir == nullptr) die("no process " + std::to_string(pid));
  while (const dirent* entry = readdir(dir)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream in(tasks + "/" + entry->d_name + "/schedstat");
    uint64_t nanos = 0;
    if (in >> nanos) total += nanos;
  }
  closedir(dir);
  return total;
}

// CPU time in nanoseconds by process id: of `pid` and, with `children`, of its child processes.
inline std::map<int, uint64_t> cpuNanosOfEach(int pid, bool children) {
  std::map<int, uint64_t> each = {{pid, cpuNanos(pid)}};
  DIR* dir = children ? opendir(("/proc/" + std::to_string(pid) + "/task").c_str()) : nullptr;
  while (const dirent* entry = dir == nullptr ? nullptr : readdir(dir)) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + entry->d_name + "/children");
    for (int child = 0; in >> child;) each[child] = cpuNanos(child);
  }
  if (dir != nullptr) closedir(dir);
  return each;
}

// Returns the CPU time between the two measurements of the processes in `after`.
inline uint64_t spent(const std::map<int, uint64_t>& before, const std::map<int, uint64_t>& after) {
  uint64_t total = 0;
  for (const auto& [pid, nanos] : after) {
    const auto earlier = before.find(pid);
    total += nanos - (earlier == before.end() ? 0 : earlier->second);
  }
  return total;
}

}  // namespace bench
