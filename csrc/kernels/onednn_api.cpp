#include "kernels/onednn_api.h"

#ifdef AGOG_ONEDNN
namespace agog::dnn {

bool run(const Primitive& primitive, std::initializer_list<Argument> arguments) {
  constexpr int kMost = 8;
  const Api& a = api();
  dnnl_exec_arg_t args[kMost];
  int n = 0;
  bool good = true;
  for (const Argument& argument : arguments) {
    if (dnn::size_of(argument.desc) == 0) continue;
    args[n].arg = argument.number;
    good &= a.memory_create(&args[n].memory, argument.desc.get(), a.engine,
                            const_cast<void*>(argument.data)) == dnnl_success;
    if (!good) break;
    ++n;
  }
  dnnl_stream_t stream = nullptr;
  good = good && a.stream_create(&stream, a.engine, dnnl_stream_default_flags) == dnnl_success;
  good = good && a.primitive_execute(primitive.get(), stream, n, args) == dnnl_success;
  good = good && a.stream_wait(stream) == dnnl_success;
  if (stream != nullptr) a.stream_destroy(stream);
  while (n > 0) a.memory_destroy(args[--n].memory);
  return good;
}

}  // namespace agog::dnn
#endif
