// oneDNN's functions, looked up once, and its objects, owned.
#pragma once

#ifdef AGOG_ONEDNN
#include <dnnl.h>

#include <initializer_list>
#include <memory>

#include "core/onednn.h"

namespace agog::dnn {

struct Api {
#define AGOG_DNNL(name) \
  decltype(&dnnl_##name) name = reinterpret_cast<decltype(name)>(onednn_symbol("dnnl_" #name))
  AGOG_DNNL(engine_create);
  AGOG_DNNL(stream_create);
  AGOG_DNNL(stream_destroy);
  AGOG_DNNL(stream_wait);
  AGOG_DNNL(memory_desc_create_with_strides);
  AGOG_DNNL(memory_desc_create_with_tag);
  AGOG_DNNL(memory_desc_clone);
  AGOG_DNNL(memory_desc_destroy);
  AGOG_DNNL(memory_desc_equal);
  AGOG_DNNL(memory_desc_get_size);
  AGOG_DNNL(memory_create);
  AGOG_DNNL(memory_destroy);
  AGOG_DNNL(primitive_attr_create);
  AGOG_DNNL(primitive_attr_destroy);
  AGOG_DNNL(primitive_attr_set_scratchpad_mode);
  AGOG_DNNL(primitive_desc_destroy);
  AGOG_DNNL(primitive_desc_query);
  AGOG_DNNL(primitive_desc_query_md);
  AGOG_DNNL(primitive_create);
  AGOG_DNNL(primitive_destroy);
  AGOG_DNNL(primitive_execute);
  AGOG_DNNL(convolution_forward_primitive_desc_create);
  AGOG_DNNL(convolution_backward_data_primitive_desc_create);
  AGOG_DNNL(convolution_backward_weights_primitive_desc_create);
  AGOG_DNNL(reorder_primitive_desc_create);
#undef AGOG_DNNL
  dnnl_engine_t engine = nullptr;
  dnnl_primitive_attr_t attr = nullptr;  // scratch memory comes from the caller

  Api() {
    if (engine_create == nullptr || engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return;
    primitive_attr_create(&attr);
    primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
  }
};

// Never destroyed: caches hold objects until the process ends. Its `engine` is null where the
// library is missing.
inline const Api& api() { return onednn_table<Api>(); }

using Desc = std::shared_ptr<dnnl_memory_desc>;
using Primitive = std::shared_ptr<dnnl_primitive>;
using PrimitiveDesc = std::shared_ptr<dnnl_primitive_desc>;

inline Desc own(dnnl_memory_desc_t d) { return Desc(d, api().memory_desc_destroy); }
inline PrimitiveDesc own(dnnl_primitive_desc_t p) {
  return PrimitiveDesc(p, api().primitive_desc_destroy);
}
inline Desc query(const PrimitiveDesc& p, dnnl_query_t what) {
  dnnl_memory_desc_t copy = nullptr;
  api().memory_desc_clone(&copy, api().primitive_desc_query_md(p.get(), what, 0));
  return own(copy);
}
inline Primitive create(const PrimitiveDesc& p) {
  dnnl_primitive_t made = nullptr;
  if (!p || api().primitive_create(&made, p.get()) != dnnl_success) return nullptr;
  return Primitive(made, api().primitive_destroy);
}
inline bool same(const Desc& a, const Desc& b) {
  return api().memory_desc_equal(a.get(), b.get()) != 0;
}
inline size_t size_of(const Desc& d) { return api().memory_desc_get_size(d.get()); }

struct Argument {
  int number;
  const Desc& desc;
  const void* data;
};

// Runs a primitive on the calling thread.
bool run(const Primitive& primitive, std::initializer_list<Argument> arguments);

}  // namespace agog::dnn
#endif
