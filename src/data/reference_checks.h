// ReferenceChecks checks the references that a write sets (x-ref with `check`). The write holds the documents that it
// refers to, so that none of them is deleted before its commit. Which these are is known only once the document has
// been computed, under its lock: a write that finds others than it holds changes nothing and begins again with these.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/collection_finder.h"
#include "data/grant.h"

namespace mb::data {

// The most documents to which one write may set references.
inline constexpr size_t kMaxHeldReferences = 100;
// How often a write begins again with other references. Each time the document has changed since.
inline constexpr int kMaxReferenceRounds = 5;

class ReferenceChecks {
 public:
  // A referenced document: the position of its collection among those that the schema refers to, and its id.
  struct Key {
    size_t collection = 0;
    std::string id;
    auto operator<=>(const Key&) const = default;
  };
  using Keys = std::set<Key>;
  using Targets = std::map<Key, store::Target>;

  // `readable` is what the caller of `access` may read in the snapshot of `grant`. REQUIRES: the grant's collection has
  // checksReferences. `grant` outlives it.
  static Task<ReferenceChecks> ofCaller(const Access& access, const Grant& grant, const Grants& grants);
  // Whether the rules of the referenced collections were evaluated with sets of the caller that have changed since.
  bool outdated() const;
  // The same for code of the project, which may read everything. `collection` outlives it.
  static Task<ReferenceChecks> ofService(CollectionFinder& finder, const Collection& collection);

  // What a new document refers to: the first guess. Empty above kMaxHeldReferences.
  Keys guess(doc::DocumentView document) const;
  // Names the documents in `write`.
  Targets hold(store::Write& write, const Keys& keys) const;

  struct Change {
    const doc::Document* before = nullptr;  // null for a new document
    doc::DocumentView after;
  };
  struct Outcome {
    Keys needed;       // what the write has to hold
    bool held = true;  // it holds all of them, and they are what they have to be
  };
  // The outcome for the references that `after` has and `before` does not have. Fails with validation if the write
  // holds all and one of them is not there (or readable), or if there are more than kMaxHeldReferences; `hidden` as
  // schemaError() takes it.
  Result<Outcome> check(Change change, const Targets& held, const store::PreImages& images,
                        const doc::FieldSet& hidden) const;

 private:
  struct Referenced {
    std::string name;
    std::optional<store::CollectionRef> ref;  // nullopt: there is no such collection
    bool checksReading = false;               // a relation checks what the caller may read: the members below
    bool readable = true;                     // whether the caller may read any document
    doc::Filter filter;                       // the documents that it may read
    policy::SetValues sets;                   // of the caller, as of `filter`
  };
  struct New {
    const doc::Relation* relation = nullptr;
    Key key;
    std::string pointer;
  };

  explicit ReferenceChecks(const Collection& collection);
  // `document`: the referenced one; nullopt if it does not exist.
  bool fits(const New& reference, std::optional<doc::DocumentView> document) const;
  std::vector<New> newReferences(Change change) const;
  size_t positionOf(const doc::Relation& relation) const;

  const Collection* collection_;
  std::vector<Referenced> referenced_;
};

}  // namespace mb::data
