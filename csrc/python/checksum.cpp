// CRC-32C (Castagnoli), the checksum of TFRecord files and of checkpoint tables.
#include <array>
#include <bit>
#include <cstring>

#include "python/module.h"
#include "python/py.h"

namespace agog::py {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed
using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: what byte b does to the checksum when k more bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t crc = tables[k - 1][b];
      tables[k][b] = (crc >> 8) ^ tables[0][crc & 255];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

uint64_t load64(const unsigned char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

uint32_t extend_by_table(uint32_t crc, const unsigned char* p, size_t n) {
  for (; std::endian::native == std::endian::little && n >= 8; p += 8, n -= 8) {
    const uint64_t v = load64(p) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(v >> (8 * k)) & 255];
  }
  for (; n > 0; ++p, --n) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 255];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t extend_by_instruction(uint32_t crc,
                                                                 const unsigned char* p, size_t n) {
  uint64_t wide = crc;
  for (; n >= 8; p += 8, n -= 8) wide = __builtin_ia32_crc32di(wide, load64(p));
  crc = static_cast<uint32_t>(wide);
  for (; n > 0; ++p, --n) crc = __builtin_ia32_crc32qi(crc, *p);
  return crc;
}
#endif

using Extend = uint32_t (*)(uint32_t, const unsigned char*, size_t);

Extend best_extend() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) return extend_by_instruction;
#endif
  return extend_by_table;
}

// crc32c(data, crc=0): of anything with the buffer protocol.
PyObject* crc32c(PyObject* args, const Extend extend) {
  Py_buffer buffer;
  unsigned int crc = 0;
  if (!PyArg_ParseTuple(args, "y*|I", &buffer, &crc)) return nullptr;
  constexpr Py_ssize_t kReleaseBytes = 1 << 16;
  PyThreadState* state = buffer.len >= kReleaseBytes ? PyEval_SaveThread() : nullptr;
  crc =
      ~extend(~crc, static_cast<const unsigned char*>(buffer.buf), static_cast<size_t>(buffer.len));
  if (state) PyEval_RestoreThread(state);
  PyBuffer_Release(&buffer);
  return PyLong_FromUnsignedLong(crc);
}

PyObject* crc32c_best(PyObject*, PyObject* args) {
  static const Extend extend = best_extend();
  return crc32c(args, extend);
}
// For tests: what a CPU without the instruction runs.
PyObject* crc32c_by_table(PyObject*, PyObject* args) { return crc32c(args, extend_by_table); }

}  // namespace

void bind_checksum(nanobind::module_& m) {
  static PyMethodDef functions[] = {
      {"crc32c", crc32c_best, METH_VARARGS,
       "The CRC-32C of bytes; the second argument is that of the bytes before them."},
      {"crc32c_by_table", crc32c_by_table, METH_VARARGS, "As crc32c, without the instruction."},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nanobind::python_error();
}

}  // namespace agog::py
