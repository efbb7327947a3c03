// Shared by the tests of this module: a store in a temporary folder, on two running cores.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "store/embedded/embedded_store.h"
#include "store/testing/running.h"
#include "store/testing/writing.h"

namespace mb::store::embedded {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class OpenedStore {
 public:
  explicit OpenedStore(std::vector<SystemCollection> system = {}, EmbeddedSettings settings = {})
      : system_(std::move(system)), settings_(settings) {
    settings_.minFreeDiskBytes = 0;
    cores_.start();
    open();
  }
  ~OpenedStore() {
    store_.reset();
    cores_.stop();
    cores_.join();
  }
  EmbeddedStore& store() { return *store_; }
  Cores& cores() { return cores_; }
  const std::filesystem::path& path() const { return folder_.path(); }
  void setSystem(std::vector<SystemCollection> system) { system_ = std::move(system); }
  // `meanwhile`, if given, is called while the store is closed.
  void reopen(const std::function<void()>& meanwhile = {}) {
    store_.reset();
    if (meanwhile) meanwhile();
    open();
  }
  // The value of a successful call; else fails the test.
  template <class T>
  T must(Task<T> task) {
    auto result = testing::runOn(cores_, 0, std::move(task));
    if (!result) {
      ADD_FAILURE() << result.error().message() << " " << result.error().cause();
      throw std::runtime_error("the store failed");
    }
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }

 private:
  void open() {
    auto opened = EmbeddedStore::open(folder_.path(), settings_, cores_, system_, clock_);
    if (!opened) throw std::runtime_error(opened.error().message());
    store_ = *std::move(opened);
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  Cores cores_{2};
  std::vector<SystemCollection> system_;
  EmbeddedSettings settings_;
  std::unique_ptr<EmbeddedStore> store_;
};

}  // namespace mb::store::embedded
