// DLPack both ways: tensors handed to NumPy, PyTorch and others, and taken from them, without
// copies. The structs are those of the DLPack specification, versions 0 and 1.
#include <algorithm>
#include <cstring>
#include <limits>

#include <nanobind/nanobind.h>

#include "python/module.h"
#include "python/py.h"

namespace nb = nanobind;

namespace agog::py {
namespace {

struct DLDevice {
  int32_t device_type;  // 1 is the CPU
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* manager;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};
constexpr uint64_t kReadOnly = 1;
constexpr uint64_t kCopied = 2;
constexpr const char* kPlain = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";

enum Code : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloatCode = 2,
  kBfloat = 4,
  kComplexCode = 5,
  kBoolCode = 6
};

DLDataType to_dlpack(DType d) {
  const auto bits = static_cast<uint8_t>(size_of(d) * 8);
  if (d == DType::kBool) return {kBoolCode, 8, 1};
  if (d == DType::kBFloat16) return {kBfloat, 16, 1};
  if (contains(kSigned, d)) return {kInt, bits, 1};
  if (contains(kUnsigned, d)) return {kUInt, bits, 1};
  if (is_floating(d)) return {kFloatCode, bits, 1};
  if (is_complex(d)) return {kComplexCode, bits, 1};
  fail(ErrorCode::kTypeError, "a tensor of dtype ", d, " cannot be handed over by DLPack");
}

DType from_dlpack(DLDataType t) {
  for (int i = 0; t.lanes == 1 && i <= code(DType::kComplex128); ++i) {
    const auto d = static_cast<DType>(i);
    const DLDataType own = to_dlpack(d);
    if (own.code == t.code && own.bits == t.bits) return d;
  }
  fail(ErrorCode::kTypeError, "agog has no dtype for DLPack code ", static_cast<int>(t.code),
       " of ", static_cast<int>(t.bits), " bits");
}

// What an exported tensor keeps until the consumer is done.
template <class Managed>
struct Export {
  Managed managed;
  Tensor tensor;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];
};

template <class Managed>
Managed* export_tensor(const Tensor& t) {
  auto* e = new Export<Managed>();
  e->tensor = t;
  // Without elements strides mean nothing, and the sizes may be too large to multiply.
  int64_t stride = 1;
  for (int i = t.rank() - 1; i >= 0; --i) {
    e->shape[i] = t.dim(i);
    e->strides[i] = stride;
    if (t.num_elements() > 0) stride *= t.dim(i);
  }
  e->managed.tensor = {t.mutable_raw(), {1, 0},     t.rank(), to_dlpack(t.dtype()),
                       e->shape,        e->strides, 0};
  e->managed.manager = e;
  e->managed.deleter = [](Managed* m) { delete static_cast<Export<Managed>*>(m->manager); };
  return &e->managed;
}

template <class Managed>
void drop_capsule(PyObject* capsule) {
  // A consumer renames the capsule when it takes over; one that nobody took is freed here.
  const char* name = PyCapsule_GetName(capsule);
  if (name == nullptr || (std::strcmp(name, kPlain) != 0 && std::strcmp(name, kVersioned) != 0)) {
    return;
  }
  auto* m = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (m && m->deleter) m->deleter(m);
}

Tensor copy_of(const Tensor& t) {
  Tensor c = Tensor::empty(t.dtype(), t.shape());
  std::memcpy(c.mutable_raw(), t.raw(), static_cast<size_t>(t.num_bytes()));
  return c;
}

// A consumer of version 1 is told that the memory is read-only; an older one, which cannot be told,
// gets a copy.
PyObject* to_capsule(nb::handle o, bool versioned, bool copy) {
  if (!is_tensor(o.ptr())) {
    fail(ErrorCode::kTypeError, "__dlpack__ is a method of tensors, got ",
         Py_TYPE(o.ptr())->tp_name);
  }
  const Tensor& t = tensor_of(o.ptr());
  to_dlpack(t.dtype());
  if (versioned) {
    auto* m = export_tensor<DLManagedTensorVersioned>(copy ? copy_of(t) : t);
    m->version = {1, 0};
    m->flags = copy ? kCopied : kReadOnly;
    return PyCapsule_New(m, kVersioned, drop_capsule<DLManagedTensorVersioned>);
  }
  return PyCapsule_New(export_tensor<DLManagedTensor>(copy_of(t)), kPlain,
                       drop_capsule<DLManagedTensor>);
}

template <class Managed>
class Imported final : public Object {
 public:
  explicit Imported(Managed* m) : managed_(m) {}
  ~Imported() override {
    nb::gil_scoped_acquire gil;
    if (managed_->deleter) managed_->deleter(managed_);
  }

 private:
  Managed* managed_;
};

// Row-major copy of strided memory.
void copy_strided(const DLTensor& from, int width, int dim, const char* at, char*& to) {
  if (dim == from.ndim) {
    std::memcpy(to, at, static_cast<size_t>(width));
    to += width;
    return;
  }
  for (int64_t i = 0; i < from.shape[dim]; ++i) {
    copy_strided(from, width, dim + 1, at + i * from.strides[dim] * width, to);
  }
}

bool is_row_major(const DLTensor& t) {
  if (t.strides == nullptr) return true;
  int64_t stride = 1;
  for (int i = t.ndim - 1; i >= 0; --i) {
    if (t.shape[i] != 1 && t.strides[i] != stride) return false;
    stride *= t.shape[i];
  }
  return true;
}

Tensor take(const DLTensor& t, Ref<Object> owner) {
  if (t.device.device_type != 1) {
    fail(ErrorCode::kInvalidArgument, "the array is not in CPU memory (DLPack device type ",
         t.device.device_type, "); move it there first");
  }
  if (t.ndim < 0 || t.ndim > kMaxRank) {
    fail(ErrorCode::kUnimplemented, "an array of rank ", t.ndim, ": the largest rank is ",
         kMaxRank);
  }
  const DType d = from_dlpack(t.dtype);
  const Shape shape(t.shape, t.ndim);
  const int64_t count = checked_num_elements(shape);
  const bool negative = std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; });
  if (negative || count < 0 || count > std::numeric_limits<int64_t>::max() / size_of(d)) {
    fail(ErrorCode::kInvalidArgument, "an array cannot have the shape ", shape);
  }
  if (count == 0) return Tensor::empty(d, shape);
  char* data = static_cast<char*>(t.data) + t.byte_offset;
  const auto bytes = static_cast<size_t>(count * size_of(d));
  const bool aligned = reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(size_of(d)) == 0;
  if (aligned && is_row_major(t)) {
    return Tensor::from_buffer(d, shape, Buffer::wrap(data, bytes, std::move(owner)), data);
  }
  Tensor copy = Tensor::empty(d, shape);
  char* to = copy.mutable_data<char>();
  if (is_row_major(t)) {
    std::memcpy(to, data, bytes);
  } else {
    copy_strided(t, size_of(d), 0, data, to);
  }
  return copy;
}

PyObject* from_capsule(nb::handle capsule) {
  PyObject* c = capsule.ptr();
  if (PyCapsule_IsValid(c, kVersioned)) {
    auto* m = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(c, kVersioned));
    if (m->version.major != 1) {
      fail(ErrorCode::kUnimplemented, "DLPack version ", m->version.major, " is not understood");
    }
    PyCapsule_SetName(c, "used_dltensor_versioned");
    return wrap(take(m->tensor, Ref<Object>(new Imported<DLManagedTensorVersioned>(m))));
  }
  if (!PyCapsule_IsValid(c, kPlain)) {
    fail(ErrorCode::kValueError, "not a DLPack capsule, or one that was used already");
  }
  auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(c, kPlain));
  PyCapsule_SetName(c, "used_dltensor");
  return wrap(take(m->tensor, Ref<Object>(new Imported<DLManagedTensor>(m))));
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  m.def(
      "to_dlpack",
      [](nb::handle tensor, bool versioned, bool copy) {
        return bridge([&] { return nb::steal(checked(to_capsule(tensor, versioned, copy))); });
      },
      nb::arg().none(), nb::arg(), nb::arg());
  m.def(
      "from_dlpack",
      [](nb::handle capsule) {
        return bridge([&] { return nb::steal(checked(from_capsule(capsule))); });
      },
      nb::arg().none());
}

}  // namespace agog::py
