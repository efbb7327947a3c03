#include "realtime/set_index.h"

#include <algorithm>
#include <bit>

#include "document/traverse.h"
#include "realtime/subscription.h"

namespace mb::realtime {

namespace {

// Sets that are searched: a rule that names the caller besides has a group of each caller, in which entries would only
// take memory.
constexpr size_t kSearched = 4;

// Units of a WorkBudget: of a lookup, and of a step of a search among a holder's texts.
constexpr int64_t kUnitsPerLookup = 20;
constexpr int64_t kUnitsPerStep = 10;

uint64_t textKey(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

// Calls visit(text) for each string that is at the path, or an element there, until it returns true.
template <class Visit>
void forEachText(doc::DocumentView document, const doc::FieldPath& path, Visit visit) {
  auto at = [&visit](const doc::ValueView* value) {
    return value != nullptr && value->type() == doc::BsonType::string && visit(value->asString());
  };
  doc::traverse(document, path.steps(), doc::Leaf::elementsToo, at);
}

bool holds(const SetHolder& holder, std::string_view text) {
  WorkBudget::charge(kUnitsPerStep * std::bit_width(holder.texts.size()));
  return std::ranges::binary_search(holder.texts, text);
}

}  // namespace

void SetIndex::add(Subscription& subscription, const policy::SetValuePtr& values) {
  SetHolder*& known = byValues_[values.get()];
  if (known == nullptr) {
    known = all_.emplace_back(std::make_unique<SetHolder>()).get();
    known->place = all_.size() - 1;
    known->values = values;
    for (const doc::Element& each : values->list().asDocument()) known->texts.push_back(each.value.asString());
    if (indexed_) {
      enter(*known);
    } else if (all_.size() > kSearched) {
      indexed_ = true;
      for (const auto& holder : all_) enter(*holder);
    }
  }
  subscription.holder = known;
  subscription.placeInGroup = known->members.size();
  known->members.push_back(&subscription);
}

void SetIndex::remove(Subscription& subscription) {
  SetHolder& holder = *std::exchange(subscription.holder, nullptr);
  Subscription* last = holder.members.back();
  holder.members[subscription.placeInGroup] = last;
  last->placeInGroup = subscription.placeInGroup;
  holder.members.pop_back();
  if (!holder.members.empty()) return;
  leave(holder);
  byValues_.erase(holder.values.get());
  const size_t place = holder.place;
  std::swap(all_[place], all_.back());
  all_[place]->place = place;
  all_.pop_back();
}

void SetIndex::enter(SetHolder& holder) {
  holder.places.reserve(holder.texts.size());
  for (uint32_t text = 0; text < holder.texts.size(); ++text) {
    std::vector<Entry>& sharing = entries_[textKey(holder.texts[text])];
    holder.places.push_back(static_cast<uint32_t>(sharing.size()));
    sharing.push_back({&holder, text});
  }
}

void SetIndex::leave(const SetHolder& holder) {
  for (size_t text = 0; text < holder.places.size(); ++text) {
    const auto found = entries_.find(textKey(holder.texts[text]));
    std::vector<Entry>& sharing = found->second;
    const Entry last = sharing.back();
    sharing[holder.places[text]] = last;
    last.holder->places[last.text] = holder.places[text];
    sharing.pop_back();
    if (sharing.empty()) entries_.erase(found);
  }
}

void SetIndex::select(SetHolder& holder) {
  if (std::exchange(holder.seen, pass_) != pass_) found_.push_back(&holder);
}

std::optional<std::vector<SetHolder*>*> SetIndex::find(doc::DocumentView document) {
  ++pass_;
  found_.clear();
  forEachText(document, path_, [&](std::string_view text) {
    if (!WorkBudget::charge(kUnitsPerLookup)) return true;
    if (!indexed_) {
      for (const auto& holder : all_) {
        if (holder->seen != pass_ && holds(*holder, text)) select(*holder);
      }
      return WorkBudget::exceeded();
    }
    const auto sharing = entries_.find(textKey(text));
    if (sharing == entries_.end()) return false;
    if (!WorkBudget::charge(static_cast<int64_t>(sharing->second.size()))) return true;
    for (const Entry& entry : sharing->second) {
      if (entry.holder->texts[entry.text] == text) select(*entry.holder);
    }
    return false;
  });
  if (WorkBudget::exceeded()) return std::nullopt;
  return &found_;
}

bool SetIndex::shows(const SetHolder& holder, doc::DocumentView document) const {
  bool shown = false;
  forEachText(document, path_, [&](std::string_view text) {
    shown = holds(holder, text);
    return shown || WorkBudget::exceeded();
  });
  return shown;
}

}  // namespace mb::realtime
