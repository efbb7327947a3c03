#include "billing/costs.h"

#include <cmath>
#include <set>

#include "projects/membership_context.h"
#include "store/records.h"

namespace mb::billing {

namespace {

constexpr double kBytesPerGiB = 1024.0 * 1024 * 1024;
constexpr double kMillion = 1e6;
constexpr double kThousand = 1e3;
constexpr size_t kNamePage = 1000;
constexpr int kUnitDigits = 9;
constexpr int kMoneyDigits = 6;

// So that sums of binary fractions give the figures that are exact in decimals.
double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  const double scaled = value * scale;
  return std::isfinite(scaled) ? std::round(scaled) / scale : value;
}

Error badDay(std::string_view name) {
  return Error(ErrorCode::invalidParam, fmt::format("{} must be a day such as 2026-01-31", name));
}

Result<Day> dayParam(std::string_view name, std::optional<std::string_view> given) {
  const std::optional<Day> day = given ? parseDay(*given) : std::nullopt;
  if (!day) return fail(badDay(name));
  return *day;
}

// "0.025": without zeros at its end, never with an exponent.
std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// A text as a cell. Programs for spreadsheets run a cell that begins with one of these characters as a formula.
std::string cell(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r\n";
  std::string out;
  if (!text.empty() && kFormula.find(text.front()) != std::string_view::npos) out = "'";
  out += text;
  if (out.find_first_of("\",\r\n") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string csvOf(const CostReport& report) {
  std::string out =
      "id,name,ownerId,storageGiBMonth,millionFunctionRuns,millionVectorsMonth,thousandConnectionHours,cost,price,"
      "currency\r\n";
  for (const ProjectCosts& row : report.projects) {
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\r\n", cell(row.id), cell(row.name), cell(row.ownerId.value.value_or("")),
        decimal(row.units.storageGiBMonth, kUnitDigits), decimal(row.units.millionFunctionRuns, kUnitDigits),
        decimal(row.units.millionVectorsMonth, kUnitDigits), decimal(row.units.thousandConnectionHours, kUnitDigits),
        decimal(row.cost, kMoneyDigits), decimal(row.price, kMoneyDigits), cell(report.currency));
  }
  return out;
}

Result<CostRange> costRangeOf(std::optional<std::string_view> from, std::optional<std::string_view> to) {
  CostRange range;
  TRY(range.from, dayParam("from", from));
  TRY(range.to, dayParam("to", to));
  if (range.from > range.to) return fail(ErrorCode::invalidParam, "from must not be after to");
  if ((range.to - range.from).count() + 1 > kHistoryDays) {
    return fail(ErrorCode::invalidParam, fmt::format("from and to must be at most {} days", kHistoryDays));
  }
  return range;
}

// ---- one project

void UnitSum::endMonth() {
  functionRuns_ += runs();
  runsAtStart_ = 0;
  runsAtEnd_ = 0;
}

void UnitSum::add(const DayRecord& record, const CostRange& range) {
  const std::optional<Day> day = parseDay(record.day);
  if (!day || *day > range.to) return;
  if (monthOf(std::string_view(record.day)) != month_) {
    endMonth();
    month_ = monthOf(std::string_view(record.day));
  }
  // The count of a month never falls, so the highest is the newest, also where a day was read again by a slow clock.
  runsAtEnd_ = std::max(runsAtEnd_, record.functionRuns);
  if (*day < range.from) {
    runsAtStart_ = runsAtEnd_;
    return;
  }
  any_ = true;
  const double ofMonth = 1.0 / daysInMonth(*day);
  storageGiBMonth_ += static_cast<double>(record.storageBytes) / kBytesPerGiB * ofMonth;
  millionVectorsMonth_ += static_cast<double>(record.vectors) / kMillion * ofMonth;
  connectionHours_ += record.connectionHours();
}

CostUnits UnitSum::units() const {
  return {rounded(storageGiBMonth_, kUnitDigits), static_cast<double>(functionRuns_ + runs()) / kMillion,
          rounded(millionVectorsMonth_, kUnitDigits), static_cast<double>(connectionHours_) / kThousand};
}

Money moneyOf(const CostUnits& units, const CostModel& model) {
  const CostUnits& each = model.unitCosts;
  const double cost = units.storageGiBMonth * each.storageGiBMonth +
                      units.millionFunctionRuns * each.millionFunctionRuns +
                      units.millionVectorsMonth * each.millionVectorsMonth +
                      units.thousandConnectionHours * each.thousandConnectionHours;
  return {rounded(cost, kMoneyDigits), rounded(cost * (1 + model.margin), kMoneyDigits)};
}

// ---- all projects

Task<CostModel> Costs::model() {
  CO_TRY(const auto stored, co_await deps_.store.get(billingCollection(kCostModel), std::string(kCostModelId)));
  CO_TRY(const std::optional<CostModel> model, store::fromStore<CostModel>(stored));
  co_return model.value_or(CostModel());
}

Task<std::map<std::string, CostUnits>> Costs::units(CostRange range, store::Deadline deadline) {
  range.to = std::min(range.to, dayOf(deps_.clock.now()));
  std::map<std::string, UnitSum> sums;
  std::string after;
  do {
    CO_TRY(const DayPage page,
           co_await deps_.history.page(firstOfMonth(range.from), range.to, std::move(after), deadline));
    for (const DayRecord& record : page.days) sums[record.projectId].add(record, range);
    if (sums.size() > kMaxCostRows) {
      co_return fail(ErrorCode::payloadTooLarge, fmt::format("there are more than {} projects", kMaxCostRows));
    }
    after = page.next;
  } while (!after.empty());
  std::map<std::string, CostUnits> units;
  for (const auto& [project, sum] : sums) {
    if (sum.any()) units[project] = sum.units();
  }
  co_return units;
}

Task<std::vector<ProjectCosts>> Costs::named(std::vector<ProjectCosts> rows) {
  std::vector<std::string> ids;
  for (const ProjectCosts& row : rows) ids.push_back(row.id);
  CO_TRY(const auto stored, co_await deps_.store.getMany(projects::controlCollection(projects::kProjects), ids));
  std::vector<std::optional<projects::ProjectRecord>> records;
  std::set<std::string> organizations;
  for (const auto& each : stored) {
    CO_TRY(std::optional<projects::ProjectRecord> record, store::fromStore<projects::ProjectRecord>(each));
    if (record) organizations.insert(record->organizationId.str());
    records.push_back(std::move(record));
  }
  CO_TRY(const auto found,
         co_await deps_.store.getMany(projects::controlCollection(projects::kOrganizations),
                                      std::vector<std::string>(organizations.begin(), organizations.end())));
  std::map<std::string, std::string> owners;
  for (const auto& each : found) {
    CO_TRY(const auto organization, store::fromStore<projects::OrganizationRecord>(each));
    if (organization) owners[organization->id.str()] = organization->ownerId.str();
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!records[i]) continue;
    rows[i].name = records[i]->name;
    const auto owner = owners.find(records[i]->organizationId.str());
    if (owner != owners.end()) rows[i].ownerId = {owner->second};
  }
  co_return rows;
}

Task<CostReport> Costs::report(CostRange range, store::Deadline deadline) {
  CO_TRY(const CostModel model, co_await this->model());
  CO_TRY(const auto used, co_await units(range, deadline));
  CostReport report{.currency = model.currency};
  std::vector<ProjectCosts> page;
  for (auto next = used.begin(); next != used.end();) {
    const auto& [project, units] = *next;
    const Money money = moneyOf(units, model);
    page.push_back({.id = project, .units = units, .cost = money.cost, .price = money.price});
    report.total += money.price;
    if (++next != used.end() && page.size() < kNamePage) continue;
    CO_TRY(std::vector<ProjectCosts> rows, co_await named(std::exchange(page, {})));
    std::ranges::move(rows, std::back_inserter(report.projects));
  }
  report.total = rounded(report.total, kMoneyDigits);
  co_return report;
}

}  // namespace mb::billing
