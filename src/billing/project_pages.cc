#include "billing/project_pages.h"

#include <algorithm>

#include "billing/accounts.h"
#include "projects/membership_context.h"

namespace mb::billing {

namespace {

constexpr std::string_view kDeleted = "deleted";

doc::Filter after(std::string_view id) {
  doc::BsonWriter out;
  out.beginDocument("id");
  out.appendString("$gt", id);
  out.end();
  return *doc::Filter::parse(out.finish());
}

}  // namespace

Task<ProjectPage> projectPage(store::DocumentStore& store, std::optional<std::string> organization, std::string from,
                              size_t limit) {
  doc::Filter filter;
  if (organization) filter = doc::Filter::equals("organizationId", *organization);
  if (!from.empty()) filter = doc::Filter::both(filter, after(from));
  store::Query query =
      store::queryOf(projects::controlCollection(projects::kProjects), std::move(filter), limit, store::readDeadline());
  query.paged = true;
  CO_TRY(const store::QueryResult found, co_await store.find(std::move(query)));
  CO_TRY(ProjectPage page, [&]() -> Result<ProjectPage> {
    TRY(std::vector<projects::ProjectRecord> records, store::fromStore<projects::ProjectRecord>(found.documents));
    ProjectPage read;
    if (found.more || records.size() == limit) read.last = records.back().id.str();
    std::erase_if(records, [](const projects::ProjectRecord& record) { return record.status == kDeleted; });
    read.projects = std::move(records);
    return read;
  }());
  co_return page;
}

Task<std::vector<projects::ProjectRecord>> projectsOf(store::DocumentStore& store, std::string organization) {
  std::vector<projects::ProjectRecord> all;
  std::string from;
  while (true) {
    CO_TRY(ProjectPage page, co_await projectPage(store, organization, from, kEpochPage));
    std::ranges::move(page.projects, std::back_inserter(all));
    if (page.last.empty()) co_return all;
    from = std::move(page.last);
  }
}

Task<std::optional<std::string>> organizationOf(store::DocumentStore& store, std::string userId) {
  CO_TRY(const store::QueryResult owned, co_await store.find(projects::queryOf(
                                             projects::kOrganizations, doc::Filter::equals("ownerId", userId), 0, 1)));
  if (owned.documents.empty()) co_return std::nullopt;
  co_return std::string(owned.documents.front().view().stringOr("id"));
}

std::vector<store::ProjectNo> numbersOf(const std::vector<projects::ProjectRecord>& projects) {
  std::vector<store::ProjectNo> numbers;
  numbers.reserve(projects.size());
  for (const projects::ProjectRecord& project : projects) {
    numbers.push_back(static_cast<store::ProjectNo>(project.number));
  }
  return numbers;
}

Task<> bumpEpochs(store::DocumentStore& store, store::WriteTarget of, std::vector<store::ProjectNo> projects) {
  for (size_t at = 0; at < projects.size(); at += kEpochPage) {
    const auto begin = projects.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kEpochPage, projects.size() - at));
    store::Write write(
        {.deadline = store::readDeadline(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {begin, end}});
    const store::Target target = write.change(of);
    CO_RETURN_IF_ERROR(co_await store.write(
        std::move(write), [target](const store::PreImages& before, store::Changes& changes) -> Result<> {
          if (!before[target]) return fail(ErrorCode::notFound, "nothing to bump epochs with");
          changes.put(target, *before[target]);
          return {};
        }));
  }
  co_return Result<>();
}

}  // namespace mb::billing
