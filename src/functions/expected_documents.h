// ExpectedDocuments matches a stored test's expected documents with distinct documents of a collection.
#pragma once

#include <optional>
#include <vector>

#include "document/bson.h"

namespace mb::functions {

class ExpectedDocuments {
 public:
  // The documents that `expected` refers to must outlive it.
  explicit ExpectedDocuments(std::vector<doc::ValueView> expected)
      : expected_(std::move(expected)), candidates_(expected_.size()) {}

  // Adds a document of the collection. No reference to it is kept.
  void offer(doc::ValueView actual);
  // The index of the first expected document without a match (document/subset.h) of its own; nullopt if each has one.
  std::optional<size_t> firstUnmatched() const;

 private:
  std::vector<doc::ValueView> expected_;
  // The offered documents that match each expected one. As many as there are expected ones suffice, since then one is
  // always free.
  std::vector<std::vector<size_t>> candidates_;
  size_t fitting_ = 0;  // number of offered documents that are candidates
};

}  // namespace mb::functions
