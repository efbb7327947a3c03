#include "billing/project_pages.h"

#include <algorithm>

#include "billing/accounts.h"
#include "projects/membership_context.h"

namespace mb::billing {

namespace {

constexpr std::string_view kDeleted = "deleted";

}  // namespace

Task<ProjectPage> projectPage(store::DocumentStore& store, std::optional<std::string> organization, std::string after,
                              size_t limit) {
  doc::Filter filter = organization ? doc::Filter::equals("organizationId", *organization) : doc::Filter();
  store::Query query =
      store::queryOf(projects::controlCollection(projects::kProjects), std::move(filter), limit, store::readDeadline());
  query.paged = true;
  query.after = std::move(after);
  CO_TRY(store::QueryResult found, co_await store.find(std::move(query)));
  ProjectPage page;
  if (found.more || found.documents.size() == limit) page.next = std::move(found.next);
  CO_TRY(page.projects, store::fromStore<projects::ProjectRecord>(found.documents));
  std::erase_if(page.projects, [](const projects::ProjectRecord& record) { return record.status == kDeleted; });
  co_return page;
}

Task<std::vector<projects::ProjectRecord>> projectsOf(store::DocumentStore& store, std::string organization) {
  std::vector<projects::ProjectRecord> all;
  std::string after;
  do {
    CO_TRY(ProjectPage page, co_await projectPage(store, organization, std::move(after), kEpochPage));
    std::ranges::move(page.projects, std::back_inserter(all));
    after = std::move(page.next);
  } while (!after.empty());
  co_return all;
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
