#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/determinism.h"
#include "core/onednn.h"
#include "core/parallel.h"
#include "core/random_state.h"
#include "op/mutants.h"
#include "python/module.h"
#include "runtime/variable.h"

namespace nb = nanobind;

namespace agog::py {
namespace {

// The best op library that this CPU runs.
std::string cpu_level() {
  if (const char* asked = std::getenv("AGOG_CPU_LEVEL")) return asked;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    return "avx512";
  }
  // Every CPU with AVX2 has F16C.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
  return "baseline";
}

// What a level needs, the later replacing rows of the earlier: csrc/CMakeLists.txt says what is in
// each.
std::vector<std::string> libraries(const std::string& level) {
  if (level == "avx512") return {"plain", "avx2", "avx512"};
  return {"plain", level};
}

void load_ops(const std::string& folder, const std::string& level) {
  for (const std::string& name : libraries(level)) {
    const std::string path = folder + "/libagog_ops_" + name + ".so";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      fail(ErrorCode::kNotFound, "the op library ", name, " for CPU level ", level,
           " does not load: ", dlerror(), " (AGOG_CPU_LEVEL may be baseline, avx2 or avx512)");
    }
    auto* register_ops = reinterpret_cast<void (*)()>(dlsym(library, "agog_register_ops"));
    if (register_ops == nullptr) fail(ErrorCode::kInternal, path, " registers no ops");
    register_ops();
  }
}

void* release_interpreter() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void take_interpreter(void* state) {
  try {
    PyEval_RestoreThread(static_cast<PyThreadState*>(state));
  } catch (abi::__forced_unwind&) {
    wait_for_exit();
  }
}

nb::object attr_default(const AttrField& f, const AttrsDef& def) {
  const char* at = static_cast<const char*>(def.defaults) + f.offset;
  switch (f.type) {
    case AttrType::kBool: return nb::bool_(*reinterpret_cast<const bool*>(at));
    case AttrType::kInt: return nb::int_(*reinterpret_cast<const int64_t*>(at));
    case AttrType::kFloat: return nb::float_(*reinterpret_cast<const float*>(at));
    case AttrType::kString: return nb::str(reinterpret_cast<const std::string*>(at)->c_str());
    case AttrType::kDType: return nb::borrow(dtype_to_python(*reinterpret_cast<const DType*>(at)));
    case AttrType::kInts: {
      nb::list l;
      for (int64_t v : *reinterpret_cast<const std::vector<int64_t>*>(at)) l.append(v);
      return l;
    }
    default: return nb::none();
  }
}

nb::list type_names(TypeSet set) {
  nb::list l;
  for (int d = 0; d < kNumDTypes; ++d) {
    if (contains(set, static_cast<DType>(d))) l.append(kDTypeInfo[d].name);
  }
  return l;
}

const char* save_name(Save::Kind k) {
  switch (k) {
    case Save::kInput: return "input";
    case Save::kOutput: return "output";
    case Save::kInputShape: return "input_shape";
    default: return "output_shape";
  }
}

// An input or an output.
template <class Def>
nb::dict place_of(const Def& def) {
  nb::dict d;
  d["name"] = def.name;
  d["type"] = def.type ? nb::object(nb::str(def.type)) : nb::none();
  d["list"] = def.count != nullptr;
  return d;
}

nb::dict attr_of(const AttrField& field, const AttrsDef& def) {
  nb::dict d;
  d["name"] = field.name;
  d["required"] = field.required;
  d["default"] = attr_default(field, def);
  return d;
}

// The row as plain Python data: for raw_ops, stubs, docs and tests.
nb::dict op_row(nb::str op_name) {
  return bridge([&] {
    const OpDef& def = find_op(op_name.c_str()).def;
    nb::list inputs, outputs, attrs, saves;
    nb::dict types, row;
    for (const InputDef& i : def.inputs) inputs.append(place_of(i));
    for (const OutputDef& o : def.outputs) outputs.append(place_of(o));
    for (const TypeVar& t : def.types) types[t.name] = type_names(t.allowed);
    for (const AttrField& f : def.attrs.fields) attrs.append(attr_of(f, def.attrs));
    for (const Save& s : def.saves) saves.append(nb::make_tuple(save_name(s.kind), s.index));
    row["name"] = def.name;
    row["inputs"] = inputs;
    row["outputs"] = outputs;
    row["types"] = types;
    row["attrs"] = attrs;
    row["saves"] = saves;
    row["broadcasts"] = def.broadcasts;
    row["stateful"] = def.stateful;
    row["differentiable"] = def.differentiable;
    row["elementwise"] = def.kernel.kind == Kernel::kMap;
    return row;
  });
}

PyObject* convert_function(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"value", "dtype", "dtype_hint", "name", nullptr};
    PyObject *value, *dtype = Py_None, *hint = Py_None, *name = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOO", const_cast<char**>(names), &value,
                                     &dtype, &hint, &name)) {
      throw PythonError{};
    }
    const DType wanted = dtype == Py_None ? DType::kInvalid : dtype_from_python(dtype);
    const DType hinted = hint == Py_None ? DType::kInvalid : dtype_from_python(hint);
    if (is_tensor(value) && (wanted == DType::kInvalid || tensor_of(value).dtype() == wanted)) {
      return Py_NewRef(value);
    }
    return wrap(convert(value, wanted, hinted));
  });
}

// The library may be missed on any thread, without the interpreter: the warning is given by the
// main thread, as soon as it runs Python again.
void warn_later(const std::string& why) {
  auto* text = new std::string("agog: matrix products run without oneDNN, slower: " + why);
  const auto warn = [](void* p) {
    const std::unique_ptr<std::string> message(static_cast<std::string*>(p));
    return PyErr_WarnEx(PyExc_RuntimeWarning, message->c_str(), 1);
  };
  if (Py_AddPendingCall(warn, text) != 0) {
    std::fprintf(stderr, "%s\n", text->c_str());
    delete text;
  }
}

nb::list random_streams() {
  nb::list found;
  for (const RandomPlace& p : random_places()) {
    const RandomStream& s = p.stream;
    found.append(nb::make_tuple(nb::str(p.op.c_str(), p.op.size()), p.dtypes, p.seed, p.seed2,
                                s.key, s.low, s.high));
  }
  return found;
}

void set_random_streams(const nb::list& streams) {
  std::vector<RandomPlace> places;
  for (const nb::handle each : streams) {
    const auto t = nb::cast<nb::tuple>(each);
    if (t.size() != 7) fail(ErrorCode::kInvalidArgument, "a random stream is a tuple of 7");
    places.push_back(
        {nb::str(t[0]).c_str(),
         nb::cast<uint64_t>(t[1]),
         nb::cast<int64_t>(t[2]),
         nb::cast<int64_t>(t[3]),
         {nb::cast<uint64_t>(t[4]), nb::cast<uint64_t>(t[5]), nb::cast<uint64_t>(t[6])}});
  }
  set_random_places(places);
}

}  // namespace

void bind_config(nb::module_& m) {
  hooks::onednn_missing = warn_later;
  m.def("set_onednn_folder", [](nb::str folder) { set_onednn_folder(folder.c_str()); });
  m.def("matmul_backend", [] { return nb::str(matmul_backend().c_str()); });
  m.def("op_determinism", &op_determinism);
  m.def("set_op_determinism", &set_op_determinism);
#ifdef AGOG_MUTANTS
  m.def("set_mutant", [](nb::str op, nb::str kind) { set_mutant(op.c_str(), kind.c_str()); });
#endif
  m.def("num_threads", &num_threads);
  m.def("reset_random", &reset_random_kernels);
  m.def("random_streams", &random_streams);
  m.def("set_random_streams", &set_random_streams);
  m.def("set_num_threads", &set_num_threads);
  m.def("allocator_stats", [] {
    const AllocatorStats s = allocator_stats();
    nb::dict d;
    d["bytes_in_use"] = s.bytes_in_use;
    d["peak_bytes_in_use"] = s.peak_bytes_in_use;
    d["bytes_cached"] = s.bytes_cached;
    d["num_allocations"] = s.num_allocations;
    d["num_cache_hits"] = s.num_cache_hits;
    return d;
  });
  m.def("reset_peak_stats", &reset_peak_stats);
  m.def("set_allocator_limit", &set_allocator_limit);
  m.def("set_cache_limit", &set_cache_limit);
  m.def("release_cached_memory", &release_cached_memory);
  m.def("live_tensor_count", &live_tensor_count);
  m.def("live_variable_count", &Variable::live_count);
}

void bind_registry(nb::module_& m) {
  m.def("op_names", [] {
    nb::list names;
    for (const Op* op : all_ops()) names.append(op->def.name);
    return names;
  });
  m.def("op_row", op_row);
  m.def("public_op", public_op);
  m.def("cpu_level", [] { return nb::str(cpu_level().c_str()); });
  m.def("load_ops", [](nb::str folder) { bridge([&] { load_ops(folder.c_str(), cpu_level()); }); });
  m.def("set_python_side", [](nb::dict d) {
    auto take = [&](const char* key, PyObject*& to) {
      if (d.contains(key)) to = nb::object(d[key]).release().ptr();
    };
    take("make_error", python_side.make_error);
    take("dtypes", python_side.dtypes);
    take("as_dtype", python_side.as_dtype);
    take("make_shape", python_side.make_shape);
    take("convert_nested", python_side.convert_nested);
    take("convert_other", python_side.convert_other);
    take("getitem", python_side.getitem);
    take("format", python_side.format);
  });
}

}  // namespace agog::py

NB_MODULE(_core, m) {
  using namespace agog;
  // What a program still holds when it ends is no fault that its user could mend.
  nb::set_leak_warnings(false);
  hooks::release_interpreter = py::release_interpreter;
  hooks::take_interpreter = py::take_interpreter;
  py::bridge([&] {
    py::init_tensor_type(m.ptr());
    py::init_variable_type(m.ptr());
    py::init_op_handle_type(m.ptr());
    py::init_public_function_type(m.ptr());
    py::init_tape_type(m.ptr());
  });
  static PyMethodDef functions[] = {
      {"convert", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(py::convert_function)),
       METH_VARARGS | METH_KEYWORDS, "A tensor from anything convertible."},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nanobind::python_error();
  py::bind_tape(m);
  py::bind_config(m);
  py::bind_dlpack(m);
  py::bind_registry(m);
  py::bind_checksum(m);
}
