// @public: a C wrapper around a Python function that takes agog's own frames out of the traceback
// of whatever it raises, so that the last frame shown is the user's line. On success it costs one
// call.
#include <nanobind/nanobind.h>

#include <map>

#include "python/module.h"
#include "python/py.h"
// After Python.h.
#include <frameobject.h>

namespace nb = nanobind;

namespace agog::py {
namespace {

struct PublicObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* weakrefs;
  FastPath fast;     // may be null
  PyObject* handle;  // of the op that the function passes tensors on to as they are, may be null
};

PyTypeObject* public_type = nullptr;
std::string package_dir;
bool full_tracebacks = false;

bool is_internal(PyFrameObject* frame) {
  PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  PyObject* file = reinterpret_cast<PyCodeObject*>(code.get())->co_filename;
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(file, &n);
  if (s == nullptr) {
    PyErr_Clear();
    return false;
  }
  return static_cast<size_t>(n) > package_dir.size() &&
         package_dir.compare(0, std::string::npos, s, package_dir.size()) == 0;
}

// The chain without internal frames; takes and gives a reference.
PyObject* without_internal(PyObject* chain) {
  while (chain && chain != Py_None &&
         is_internal(reinterpret_cast<PyTracebackObject*>(chain)->tb_frame)) {
    PyObject* next =
        reinterpret_cast<PyObject*>(reinterpret_cast<PyTracebackObject*>(chain)->tb_next);
    Py_XINCREF(next);
    Py_DECREF(chain);
    chain = next;
  }
  if (chain == nullptr || chain == Py_None) return chain;
  auto* tb = reinterpret_cast<PyTracebackObject*>(chain);
  while (tb->tb_next) {
    if (!is_internal(tb->tb_next->tb_frame)) {
      tb = tb->tb_next;
      continue;
    }
    PyTracebackObject* dropped = tb->tb_next;
    tb->tb_next = reinterpret_cast<PyTracebackObject*>(
        Py_XNewRef(reinterpret_cast<PyObject*>(dropped->tb_next)));
    Py_DECREF(dropped);
  }
  return chain;
}

AGOG_NOINLINE void clean_traceback() {
  if (full_tracebacks || package_dir.empty()) return;
#if PY_VERSION_HEX >= 0x030C0000
  PyObject* error = PyErr_GetRaisedException();
  PyObject* tb = without_internal(PyException_GetTraceback(error));
  PyException_SetTraceback(error, tb ? tb : Py_None);
  Py_XDECREF(tb);
  PyErr_SetRaisedException(error);
#else
  PyObject *type, *value, *tb;
  PyErr_Fetch(&type, &value, &tb);
  tb = without_internal(tb);
  PyErr_Restore(type, value, tb);
#endif
}

std::map<std::string, FastPath>& fast_paths() {
  static std::map<std::string, FastPath> paths;
  return paths;
}

// Lines seen so far, by number.
struct Places {
  std::map<std::string, int> numbers;
  std::vector<std::string> texts{""};
};
Places& places() {
  static Places all;
  return all;
}

int number_of(PyFrameObject* frame) {
  PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  auto* c = reinterpret_cast<PyCodeObject*>(code.get());
  const std::string text = utf8(c->co_filename) + ":" +
                           std::to_string(PyFrame_GetLineNumber(frame)) + ", in " +
                           utf8(c->co_name);
  const auto [it, is_new] = places().numbers.emplace(text, static_cast<int>(places().texts.size()));
  if (is_new) places().texts.push_back(text);
  return it->second;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const auto& p = *reinterpret_cast<PublicObject*>(self);
  if (p.fast && keywords == nullptr) {
    PyObject* result = p.fast(args, PyVectorcall_NARGS(nargsf));
    if (result || PyErr_Occurred()) return result;
  }
  if (p.handle && keywords == nullptr && takes_as_they_are(p.handle, args, nargsf)) {
    return call_handle(p.handle, args, nargsf, nullptr);
  }
  PyObject* result = PyObject_Vectorcall(p.function, args, nargsf, keywords);
  if (AGOG_UNLIKELY(result == nullptr)) clean_traceback();
  return result;
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  return object == nullptr || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

PyObject* getattr(PyObject* self, PyObject* key) {
  PyObject* found = PyObject_GenericGetAttr(self, key);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<PublicObject*>(self)->function, key);
}
int setattr(PyObject* self, PyObject* key, PyObject* value) {
  return PyObject_SetAttr(reinterpret_cast<PublicObject*>(self)->function, key, value);
}

template <int which>
PyObject* forwarded(PyObject* self, void*) {
  static const char* const names[] = {"__doc__", "__name__", "__qualname__", "__module__"};
  return PyObject_GetAttrString(reinterpret_cast<PublicObject*>(self)->function, names[which]);
}
PyObject* wrapped(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PublicObject*>(self)->function);
}

PyObject* repr(PyObject* self) {
  return PyObject_Repr(reinterpret_cast<PublicObject*>(self)->function);
}
// By name, as functions are pickled.
PyObject* reduce(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(reinterpret_cast<PublicObject*>(self)->function, "__qualname__");
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PublicObject*>(self)->function);
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<PublicObject*>(self)->function);
  Py_CLEAR(reinterpret_cast<PublicObject*>(self)->handle);
  return 0;
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<PublicObject*>(self)->weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* make(PyObject* function, FastPath fast, PyObject* handle = nullptr) {
  auto* p = PyObject_GC_New(PublicObject, public_type);
  if (p == nullptr) return nullptr;
  p->vectorcall = call;
  p->function = Py_NewRef(function);
  p->weakrefs = nullptr;
  p->fast = fast;
  p->handle = Py_XNewRef(handle);
  PyObject_GC_Track(p);
  return reinterpret_cast<PyObject*>(p);
}

PyObject* make_public(PyObject*, PyObject* function) { return make(function, nullptr); }

// public_with("name", function): a public function that tries the C++ path of this name first.
PyObject* make_public_with(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const char* name = nullptr;
    PyObject* function = nullptr;
    if (!PyArg_ParseTuple(args, "sO", &name, &function)) throw PythonError{};
    auto it = fast_paths().find(name);
    if (it == fast_paths().end()) fail(ErrorCode::kInternal, "no fast path is called ", name);
    return make(function, it->second);
  });
}

PyObject* set_package_dir(PyObject*, PyObject* arg) {
  return guarded([&] {
    package_dir = utf8(arg);
    return Py_NewRef(Py_None);
  });
}
PyObject* set_full_tracebacks(PyObject*, PyObject* arg) {
  full_tracebacks = PyObject_IsTrue(arg) == 1;
  Py_RETURN_NONE;
}
PyObject* has_full_tracebacks(PyObject*, PyObject*) { return PyBool_FromLong(full_tracebacks); }

}  // namespace

// @public_op(handle): a public function that gives the op's inputs, in the op's order, to the
// handle; Python is left out where they are tensors already and nothing else is given.
nb::object public_op(nb::object handle) {
  if (!is_handle(handle.ptr())) throw nb::type_error("public_op needs the handle of an op");
  return nb::cpp_function([handle](nb::object function) {
    return nb::steal(checked(make(function.ptr(), nullptr, handle.ptr())));
  });
}

int user_line() {
  PyRef frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame && is_internal(reinterpret_cast<PyFrameObject*>(frame.get()))) {
    PyFrameObject* back = PyFrame_GetBack(reinterpret_cast<PyFrameObject*>(frame.get()));
    frame = PyRef(reinterpret_cast<PyObject*>(back));
  }
  return frame ? number_of(reinterpret_cast<PyFrameObject*>(frame.get())) : 0;
}

std::string place_text(int number) { return places().texts[static_cast<size_t>(number)]; }

void add_fast_path(const char* name, FastPath fast) { fast_paths()[name] = fast; }

void init_public_function_type(PyObject* module) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(PublicObject, vectorcall), Py_READONLY,
       nullptr},
      {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(PublicObject, weakrefs), Py_READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef getset[] = {{"__doc__", forwarded<0>, nullptr, nullptr, nullptr},
                                 {"__name__", forwarded<1>, nullptr, nullptr, nullptr},
                                 {"__qualname__", forwarded<2>, nullptr, nullptr, nullptr},
                                 {"__module__", forwarded<3>, nullptr, nullptr, nullptr},
                                 {"__wrapped__", wrapped, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                {Py_tp_repr, reinterpret_cast<void*>(repr)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                                {Py_tp_getattro, reinterpret_cast<void*>(getattr)},
                                {Py_tp_setattro, reinterpret_cast<void*>(setattr)},
                                {Py_tp_members, members},
                                {Py_tp_getset, getset},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"agog.PublicFunction", sizeof(PublicObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  public_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  static PyMethodDef functions[] = {
      {"public", make_public, METH_O, "Keeps agog's own frames out of what the function raises."},
      {"public_with", make_public_with, METH_VARARGS, nullptr},
      {"set_package_dir", set_package_dir, METH_O, nullptr},
      {"set_full_tracebacks", set_full_tracebacks, METH_O, nullptr},
      {"has_full_tracebacks", has_full_tracebacks, METH_NOARGS, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonError{};
}

}  // namespace agog::py
