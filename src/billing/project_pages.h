// The projects of the deployment, read in pages.
#pragma once

#include "billing/billing_types.h"
#include "projects/project_types.h"

namespace mb::billing {

struct ProjectPage {
  std::vector<projects::ProjectRecord> projects;  // ascending id, without deleted ones
  std::string next;                               // for the page after it; "" where there are no more
};
// A page of the projects of one organization, or of all; `after` is ProjectPage::next of the page before, or the id of
// a project, "" for the first page. At most `limit` projects.
Task<ProjectPage> projectPage(store::DocumentStore& store, std::optional<std::string> organization, std::string after,
                              size_t limit);

// All of an organization, environments included, that are not deleted.
Task<std::vector<projects::ProjectRecord>> projectsOf(store::DocumentStore& store, std::string organization);

std::vector<store::ProjectNo> numbersOf(const std::vector<projects::ProjectRecord>& projects);

// Bumps the epochs of projects, at most a page in a commit, by storing the document at `of` again as it is then. Fails
// with notFound where it does not exist.
Task<> bumpEpochs(store::DocumentStore& store, store::WriteTarget of, std::vector<store::ProjectNo> projects);

}  // namespace mb::billing
