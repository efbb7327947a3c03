#include "data/documents.h"

#include "data/documents_impl.h"

namespace mb::data {

Documents::Documents(const DataDeps& deps, FairPool& pool, snapshot::SlotKey<CollectionTable> collections)
    : impl_(std::make_unique<Impl>(Impl{deps, pool, collections})) {}
Documents::~Documents() = default;

void Documents::setPreHook(PreHook& hook) {
  impl_->preHook = &hook;
}

Task<VisibleDocument> Documents::create(const Access& access, const std::string& collection, doc::Document body) {
  Intent intent;
  intent.event = WriteEvent::insert;
  intent.body = std::move(body);
  if (!intent.body.view().find("id")) {
    intent.id = impl_->deps.ids.next();
    intent.fresh = true;
  }
  return impl_->write(access, collection, std::move(intent));
}

Task<VisibleDocument> Documents::update(const Access& access, const std::string& collection, const std::string& id,
                                        doc::Document body) {
  Intent intent;
  intent.event = WriteEvent::update;
  intent.id = id;
  intent.body = std::move(body);
  return impl_->write(access, collection, std::move(intent));
}

Task<VisibleDocument> Documents::replace(const Access& access, const std::string& collection, const std::string& id,
                                         doc::Document body) {
  Intent intent;
  intent.event = WriteEvent::replace;
  intent.id = id;
  intent.body = std::move(body);
  return impl_->write(access, collection, std::move(intent));
}

Task<> Documents::remove(const Access& access, const std::string& collection, const std::string& id) {
  Intent intent;
  intent.event = WriteEvent::remove;
  intent.id = id;
  CO_CHECK(co_await impl_->write(access, collection, std::move(intent)));
  co_return Result<>();
}

}  // namespace mb::data
