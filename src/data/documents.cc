#include "data/documents.h"

#include "data/documents_impl.h"

namespace mb::data {

Documents::Documents(const DataDeps& deps, FairPool& pool, const Grants& grants)
    : impl_(std::make_unique<Impl>(Impl{deps, pool, grants, store::Cursors(deps.master, deps.clock)})) {}
Documents::~Documents() = default;

void Documents::setPreHook(PreHook& hook) {
  impl_->preHook = &hook;
}

Task<VisibleDocument> Documents::create(const Access& access, const std::string& collection, doc::Document body) {
  const store::ProjectNo project = access.project->info().number;
  return impl_->write(access, collection, insertRequest(std::move(body), impl_->deps, project));
}

Task<VisibleDocument> Documents::update(const Access& access, const std::string& collection, const std::string& id,
                                        doc::Document body, WriteCondition condition) {
  WriteRequest request;
  request.condition = std::move(condition);
  request.event = WriteEvent::update;
  request.id = id;
  request.body = std::move(body);
  return impl_->write(access, collection, std::move(request));
}

Task<VisibleDocument> Documents::replace(const Access& access, const std::string& collection, const std::string& id,
                                         doc::Document body, WriteCondition condition) {
  WriteRequest request;
  request.event = condition.demandsAbsence() ? WriteEvent::insert : WriteEvent::replace;
  request.idIsGiven = true;
  request.condition = std::move(condition);
  request.id = id;
  request.body = std::move(body);
  return impl_->write(access, collection, std::move(request));
}

Task<> Documents::remove(const Access& access, const std::string& collection, const std::string& id,
                         WriteCondition condition) {
  WriteRequest request;
  request.condition = std::move(condition);
  request.event = WriteEvent::remove;
  request.id = id;
  CO_RETURN_IF_ERROR(co_await impl_->write(access, collection, std::move(request)));
  co_return Result<>();
}

}  // namespace mb::data
