// The base of agog.Variable: holds the handle, and has the operators of tensors.
#include "op/call.h"
#include "python/py.h"
#include "runtime/variable.h"

namespace agog::py {

PyTypeObject* variable_type = nullptr;

Tensor read_variable(PyObject* o) {
  static const ops::Caller read{"ReadVariableOp"};
  return execute1(read.op(), &handle_of(o), 1);
}

const Tensor& handle_of(PyObject* variable) {
  const Tensor& handle = reinterpret_cast<VariableObject*>(variable)->handle;
  if (!handle) fail(ErrorCode::kFailedPrecondition, "the variable was never initialised");
  return handle;
}

namespace {

Variable& variable_of_object(PyObject* self) { return variable_of(handle_of(self)); }

}  // namespace

DType variable_dtype(PyObject* o) { return variable_of_object(o).dtype(); }

namespace {

PyObject* make_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) new (&reinterpret_cast<VariableObject*>(self)->handle) Tensor();
  return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<VariableObject*>(self)->dict);
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<VariableObject*>(self)->dict);
  return 0;
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  auto* o = reinterpret_cast<VariableObject*>(self);
  if (o->weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  o->handle.~Tensor();
  type->tp_free(self);
  Py_DECREF(type);
}

// _create(name, dtype, shape, trainable): the place, still without a value.
PyObject* create(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *name, *dtype, *shape;
    int trainable = 0;
    if (!PyArg_ParseTuple(args, "OOOp", &name, &dtype, &shape, &trainable)) throw PythonError{};
    Ref<Object> v(new Variable(utf8(name), dtype_from_python(dtype), shape_from_python(shape, true),
                               trainable != 0));
    reinterpret_cast<VariableObject*>(self)->handle = Tensor::resource(std::move(v));
    return Py_NewRef(Py_None);
  });
}

// _adopt(handle): the object for a variable that lives on in a handle.
PyObject* adopt(PyObject* self, PyObject* arg) {
  return guarded([&] {
    if (!is_tensor(arg)) fail(ErrorCode::kTypeError, "a handle is a tensor");
    variable_of(tensor_of(arg));
    reinterpret_cast<VariableObject*>(self)->handle = tensor_of(arg);
    return Py_NewRef(Py_None);
  });
}

PyObject* get_handle(PyObject* self, void*) {
  return guarded([&] {
    variable_of_object(self);
    return wrap(reinterpret_cast<VariableObject*>(self)->handle);
  });
}
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return Py_NewRef(dtype_to_python(variable_of_object(self).dtype())); });
}
PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_to_python(variable_of_object(self).shape()); });
}
PyObject* get_trainable(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(variable_of_object(self).trainable()); });
}
PyObject* get_name(PyObject* self, void*) {
  return guarded([&] { return PyUnicode_FromString(variable_of_object(self).name().c_str()); });
}
PyObject* get_initialized(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(variable_of_object(self).initialized()); });
}
PyObject* value(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(read_variable(self)); });
}

// Variables update in place and give back nothing: the Python side decides what assign returns.
PyObject* update(const ops::Caller& op, PyObject* self, PyObject* arg) {
  return guarded([&] {
    Variable& v = variable_of_object(self);
    const Tensor in[2] = {reinterpret_cast<VariableObject*>(self)->handle,
                          convert(arg, DType::kInvalid, v.dtype())};
    execute(op.op(), in, 2);
    return Py_NewRef(Py_None);
  });
}
constexpr ops::Caller assign_op{"AssignVariableOp"}, assign_add_op{"AssignAddVariableOp"},
    assign_sub_op{"AssignSubVariableOp"};
template <const ops::Caller& op>
PyObject* update_method(PyObject* self, PyObject* arg) {
  return update(op, self, arg);
}

}  // namespace

void init_variable_type(PyObject* module) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(VariableObject, weakrefs), Py_READONLY,
       nullptr},
      {"__dictoffset__", Py_T_PYSSIZET, offsetof(VariableObject, dict), Py_READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef getset[] = {
      {"handle", get_handle, nullptr, "The variable itself, for ops that change it.", nullptr},
      {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
      {"shape", get_shape, nullptr, "The shape that every value has.", nullptr},
      {"trainable", get_trainable, nullptr, "Whether tapes watch it by themselves.", nullptr},
      {"_raw_name", get_name, nullptr, nullptr, nullptr},
      {"_initialized", get_initialized, nullptr, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {
      {"_create", create, METH_VARARGS, nullptr},
      {"_adopt", adopt, METH_O, nullptr},
      {"value", value, METH_NOARGS, "The current value, as a tensor."},
      {"read_value", value, METH_NOARGS, "The current value, as a tensor."},
      {"_assign", update_method<assign_op>, METH_O, nullptr},
      {"_assign_add", update_method<assign_add_op>, METH_O, nullptr},
      {"_assign_sub", update_method<assign_sub_op>, METH_O, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  variable_type = make_type(module, "agog.VariableBase", sizeof(VariableObject),
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                            {{Py_tp_new, reinterpret_cast<void*>(make_new)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                             {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear)},
                             {Py_tp_members, members},
                             {Py_tp_getset, getset},
                             {Py_tp_methods, methods}});
}

}  // namespace agog::py
