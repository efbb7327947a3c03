// What each project cost: the readings of its days (history.h) by the operators' cost model.
#pragma once

#include <algorithm>
#include <map>

#include "billing/history.h"

namespace mb::billing {

// ---- responses

struct ProjectCosts {
  std::string id;
  std::string name = {};
  doc::Nullable<std::string> ownerId = {};  // of the organization that it belongs to
  CostUnits units = {};
  double cost = 0;
  double price = 0;
  static constexpr auto shape() {
    return doc::shape<ProjectCosts>(
        "ProjectCosts", doc::field("id", &ProjectCosts::id), doc::field("name", &ProjectCosts::name),
        doc::field("ownerId", &ProjectCosts::ownerId), doc::field("units", &ProjectCosts::units),
        doc::field("cost", &ProjectCosts::cost), doc::field("price", &ProjectCosts::price));
  }
};

struct CostReport {
  std::string currency;
  std::vector<ProjectCosts> projects = {};  // in the order of their creation
  double total = 0;                         // of the prices
  static constexpr auto shape() {
    return doc::shape<CostReport>("CostReport", doc::field("currency", &CostReport::currency),
                                  doc::field("projects", &CostReport::projects),
                                  doc::field("total", &CostReport::total));
  }
};

// A report as RFC 4180 has it, with a header line and a line for each project. A text that a spreadsheet would take for
// a formula begins with an apostrophe.
std::string csvOf(const CostReport& report);

// ---- the computation

struct CostRange {
  Day from;
  Day to;  // inclusive
};
// Fails with invalidParam: absent, not a day, `from` after `to`, more than kHistoryDays days.
Result<CostRange> costRangeOf(std::optional<std::string_view> from, std::optional<std::string_view> to);

// The units of one project from its days, which are added in ascending order from the first day of the month of
// range.from on. Days before range.from only say how many runs of their month came before it.
class UnitSum {
 public:
  void add(const DayRecord& record, const CostRange& range);
  // Whether a day of the range was added.
  bool any() const { return any_; }
  CostUnits units() const;

 private:
  void endMonth();
  int64_t runs() const { return std::max<int64_t>(runsAtEnd_ - runsAtStart_, 0); }

  bool any_ = false;
  double storageGiBMonth_ = 0;
  double millionVectorsMonth_ = 0;
  int64_t connectionHours_ = 0;
  int64_t functionRuns_ = 0;  // of the months before month_
  std::string month_;
  int64_t runsAtStart_ = 0;  // of month_, before the range
  int64_t runsAtEnd_ = 0;    // of month_, so far
};

// Cost and price of the units, rounded to a millionth of the currency.
struct Money {
  double cost = 0;
  double price = 0;
};
Money moneyOf(const CostUnits& units, const CostModel& model);

// Projects in one report, at most; more is payloadTooLarge.
inline constexpr size_t kMaxCostRows = 100'000;

// References outlive it.
struct CostsDeps {
  store::DocumentStore& store;
  History& history;
  const Clock& clock;
};

// Any core.
class Costs {
 public:
  explicit Costs(CostsDeps deps) : deps_(deps) {}
  // Days after today are not counted: their readings were taken while the clock was fast.
  Task<CostReport> report(CostRange range, store::Deadline deadline);

 private:
  Task<CostModel> model();
  Task<std::map<std::string, CostUnits>> units(CostRange range, store::Deadline deadline);
  // Fills names and owners of at most a page of rows.
  Task<std::vector<ProjectCosts>> named(std::vector<ProjectCosts> rows);

  const CostsDeps deps_;
};

}  // namespace mb::billing
