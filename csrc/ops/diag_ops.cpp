// Ops on the diagonals of matrices.
#include "core/parallel.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct AlignAttrs {
  std::string align = "RIGHT_LEFT";
};

namespace {

constexpr TypeSet kDiagTypes = (kInexact & ~set_of(DType::kBFloat16)) | kIndex;

Shape doubled(const Shape& s) {
  if (2 * s.rank() > kMaxRank) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
  Shape out = s;
  for (int64_t d : s) out.push_back(d);
  return out;
}

Shape diag_shape(ShapeCtx& c) {
  c.require(c.in(0).rank() != 0, "diagonal must have at least one dimension, got a scalar");
  return c.in(0).has_rank() ? doubled(c.in(0)) : c.in(0);
}

Shape diag_part_shape(ShapeCtx& c) {
  const Shape& s = c.in(0);
  if (!s.has_rank()) return s;
  const int half = s.rank() / 2;
  bool fits = s.rank() % 2 == 0;
  for (int d = 0; fits && d < half; ++d) fits = s[d] == s[d + half] || s[d] < 0 || s[d + half] < 0;
  c.require(fits, "input must have a shape made of two equal halves, got ", s);
  return Shape(s.begin(), half);
}

// A band of diagonals of [rows, cols] matrices: diagonal k has its first element in column k, or in
// row -k.
struct Band {
  int64_t low = 0, high = 0;
  int64_t rows = 0, cols = 0;
  int64_t longest = 0;
  bool left_above = false, left_below = true;  // where shorter diagonals are put in their rows

  int64_t count() const { return high - low + 1; }
  int64_t length(int64_t k) const {
    return std::min(rows + std::min<int64_t>(k, 0), cols - std::max<int64_t>(k, 0));
  }
  void measure() {
    longest = std::max<int64_t>(
        0, std::min(rows + std::min<int64_t>(high, 0), cols - std::max<int64_t>(low, 0)));
  }
  // Offset of diagonal k in its row among the diagonals.
  int64_t offset(int64_t k) const {
    const bool left = (k >= 0 && left_above) || (k <= 0 && left_below);
    return left ? 0 : longest - length(k);
  }
  // Element of the matrix where diagonal k starts.
  int64_t start(int64_t k) const {
    return std::max<int64_t>(-k, 0) * cols + std::max<int64_t>(k, 0);
  }
};

void read_align(const OpCtx& c, Band& b) {
  if (c.op().def.attrs.fields.empty()) return;
  const std::string& align = c.attrs<AlignAttrs>().align;
  b.left_above = align.rfind("LEFT_", 0) == 0;
  b.left_below = align.size() > 5 && align.compare(align.size() - 5, 5, "_LEFT") == 0;
  c.require(align == "LEFT_RIGHT" || align == "RIGHT_LEFT" || align == "LEFT_LEFT" ||
                align == "RIGHT_RIGHT",
            "align must be LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT, got ", align);
}

// Reads k, one number or the lowest and the highest.
void read_k(const OpCtx& c, int i, Band& b) {
  const Tensor& k = c.input(i);
  c.require(k.rank() <= 1 && (k.num_elements() == 1 || k.num_elements() == 2),
            "k must be a scalar or a vector of one or two elements, got shape ", k.shape());
  b.low = index_value(k, 0);
  b.high = index_value(k, k.num_elements() - 1);
  c.require(b.low <= b.high, "k must not fall, got [", b.low, ", ", b.high, "]");
}

// The band of a matrix that is there; input `k` may be absent.
Band band_of(const OpCtx& c, int k) {
  const Shape& s = c.input(0).shape();
  c.require(s.rank() >= 2, "input must have at least two dimensions, got shape ", s);
  Band b;
  read_align(c, b);
  b.rows = s[s.rank() - 2];
  b.cols = s[s.rank() - 1];
  if (k >= 0) read_k(c, k, b);
  for (int64_t v : {b.low, b.high}) {
    c.require(v == 0 || (v > -b.rows && v < b.cols), "k = ", v, " is not in (", -b.rows, ", ",
              b.cols, ") for input of shape ", s);
  }
  b.measure();
  return b;
}

Shape batch_of(const Shape& s, int drop) { return Shape(s.begin(), s.rank() - drop); }

Shape diagonals_shape(const Shape& input, const Band& b) {
  Shape out = batch_of(input, 2);
  if (b.count() > 1) out.push_back(b.count());
  out.push_back(b.longest);
  return out;
}

// The band of MatrixDiagV3: sizes that are -1 follow from the diagonals.
Band new_band(const OpCtx& c) {
  const Shape& s = c.input(0).shape();
  c.require(s.rank() >= 1, "diagonal must have at least one dimension, got a scalar");
  Band b;
  read_align(c, b);
  const bool v3 = c.num_inputs() > 1;
  if (v3) read_k(c, 1, b);
  c.require(b.count() == 1 || (s.rank() >= 2 && s[s.rank() - 2] == b.count()), "diagonal of shape ",
            s, " does not hold the ", b.count(), " diagonals of k = [", b.low, ", ", b.high, "]");
  constexpr int64_t kMost = int64_t{1} << 40;
  b.longest = s[s.rank() - 1];
  c.require(b.high > -kMost && b.low < kMost && b.longest < kMost, "k is too large");
  const int64_t rows = b.longest - std::min<int64_t>(b.high, 0);
  const int64_t cols = b.longest + std::max<int64_t>(b.low, 0);
  const int64_t want_rows = v3 ? c.scalar_int(2) : -1, want_cols = v3 ? c.scalar_int(3) : -1;
  if (want_rows == -1 && want_cols == -1) {
    b.rows = b.cols = std::max(rows, cols);
  } else {
    b.rows = want_rows == -1 ? rows : want_rows;
    b.cols = want_cols == -1 ? cols : want_cols;
  }
  c.require(b.rows >= rows && b.cols >= cols && (b.rows == rows || b.cols == cols),
            "num_rows = ", want_rows, " and num_cols = ", want_cols,
            " do not fit diagonal of shape ", s, " and k = [", b.low, ", ", b.high, "]");
  return b;
}

Shape matrix_diag_shape(ShapeCtx& c) {
  const bool v3 = c.num_inputs() > 1;
  if (v3) {
    for (int i = 2; i < 5; ++i) {
      c.require(c.in(i).rank() <= 0, c.input_name(i), " must be a scalar, got shape ", c.in(i));
    }
  }
  if (!c.in(0).fully_known()) return Shape::unknown_rank();
  if (v3 && (!c.has_value(1) || !c.has_value(2) || !c.has_value(3))) return Shape::unknown_rank();
  const Band b = new_band(c);
  Shape out = batch_of(c.in(0), b.count() > 1 ? 2 : 1);
  for (int64_t d : {b.rows, b.cols}) {
    if (out.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
    out.push_back(d);
  }
  return out;
}

// Copies every diagonal of the band from rows of diagonals into matrices, or out of them.
void copy_band(const Band& b, int64_t batch, const void* from, void* to, int width, bool into) {
  const int64_t matrix = b.rows * b.cols, row = b.longest, all = b.count() * row;
  for (int64_t k = b.low; k <= b.high; ++k) {
    const int64_t n = b.length(k);
    if (n <= 0) continue;
    const int64_t packed = ((b.high - k) * row + b.offset(k)) * width;
    const int64_t spread = b.start(k) * width;
    StridedCopy copy;
    copy.add(batch, into ? all : matrix, into ? matrix : all);
    copy.add(n, into ? 1 : b.cols + 1, into ? b.cols + 1 : 1);
    copy.run(static_cast<const char*>(from) + (into ? packed : spread),
             static_cast<char*>(to) + (into ? spread : packed), width);
  }
}

void put_band(const Band& b, const Tensor& diagonals, const Tensor& matrices) {
  if (matrices.num_elements() == 0) return;
  const int64_t batch = batch_of(matrices.shape(), 2).num_elements();
  copy_band(b, batch, diagonals.raw(), matrices.mutable_raw(), size_of(matrices.dtype()), true);
}

void take_band(const Band& b, const Tensor& matrices, const Tensor& diagonals) {
  if (matrices.num_elements() == 0) return;
  const int64_t batch = batch_of(matrices.shape(), 2).num_elements();
  copy_band(b, batch, matrices.raw(), diagonals.mutable_raw(), size_of(matrices.dtype()), false);
}

void fill_with(const Tensor& out, const Tensor* value) {
  const Bytes16 zero{};
  fill_elements(out.mutable_raw(), value ? value->raw() : &zero, out.num_elements(),
                size_of(out.dtype()));
}

void matrix_diag(KernelCtx& c) {
  fill_with(c.out(), c.num_inputs() > 1 ? &c.in(4) : nullptr);
  put_band(new_band(c), c.in(0), c.out());
}

void matrix_diag_part(KernelCtx& c) {
  const bool v3 = c.num_inputs() > 1;
  fill_with(c.out(), v3 ? &c.in(2) : nullptr);
  take_band(band_of(c, v3 ? 1 : -1), c.in(0), c.out());
}

Shape matrix_set_diag_shape(ShapeCtx& c) {
  const bool v3 = c.num_inputs() > 2;
  if (!c.in(0).fully_known() || !c.in(1).fully_known() || (v3 && !c.has_value(2))) return c.in(0);
  const Shape want = diagonals_shape(c.in(0), band_of(c, v3 ? 2 : -1));
  c.require(c.in(1) == want, "diagonal must have shape ", want, " for input of shape ", c.in(0),
            ", got ", c.in(1));
  return c.in(0);
}

void matrix_set_diag(KernelCtx& c) {
  const Tensor& x = c.in(0);
  copy_elements(c.out().mutable_raw(), x.raw(), x.num_elements(), size_of(x.dtype()));
  put_band(band_of(c, c.num_inputs() > 2 ? 2 : -1), c.in(1), c.out());
}

Shape band_part_shape(ShapeCtx& c) {
  const Shape& s = c.in(0);
  c.require(s.rank() >= 2 || !s.has_rank(), "input must have at least two dimensions, got shape ",
            s);
  for (int i = 1; i < 3; ++i) {
    c.require(c.in(i).rank() <= 0, c.input_name(i), " must be a scalar, got shape ", c.in(i));
    if (!c.has_value(i) || !s.has_rank()) continue;
    const int64_t size = s[s.rank() - 3 + i], n = c.scalar_int(i);
    c.require(n <= size || size < 0, c.input_name(i), " = ", n, " is more than ", size,
              " for input of shape ", s);
  }
  return s;
}

// Keeps what is at most so far below and above the main diagonal; negative numbers keep all.
template <class U>
void band_part(const KernelCtx& c) {
  const Shape& s = c.in(0).shape();
  const int64_t rows = s[s.rank() - 2], cols = s[s.rank() - 1];
  const int64_t lower = c.scalar_int(1), upper = c.scalar_int(2);
  const U* x = static_cast<const U*>(c.in(0).raw());
  U* y = static_cast<U*>(c.out().mutable_raw());
  const int64_t n = c.out().num_elements() / cols;
  const int64_t block = std::max<int64_t>(1, (1 << 14) / cols);
  parallel_for(n, block, n * cols, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % rows;
      const int64_t first = lower < 0 ? 0 : std::clamp<int64_t>(row - lower, 0, cols);
      const int64_t last = upper < 0 ? cols : std::clamp<int64_t>(row + upper + 1, first, cols);
      std::fill(y + i * cols, y + i * cols + first, U{});
      std::copy(x + i * cols + first, x + i * cols + last, y + i * cols + first);
      std::fill(y + i * cols + last, y + (i + 1) * cols, U{});
    }
  });
}

Tensor call(const char* name, std::initializer_list<Tensor> in, const void* attrs = nullptr) {
  return execute1(find_op(name), in.begin(), static_cast<int>(in.size()), attrs);
}

Tensor int32_scalar(int64_t v) { return Tensor::scalar(static_cast<int32_t>(v)); }

void matrix_diag_v3_grad(GradCtx& g) {
  if (!g.needs(0)) return;
  const Tensor dy = g.dy(0);
  const Tensor part = call("MatrixDiagPartV3", {dy, g.x(1), ops::like(0, dy)}, g.raw_attrs());
  g.dx(0) = ops::reshape(part, g.x_shape(0));
}

void matrix_diag_part_v3_grad(GradCtx& g) {
  if (!g.needs(0)) return;
  const Shape x = g.x_shape(0);
  const Tensor dy = g.dy(0);
  g.dx(0) = call(
      "MatrixDiagV3",
      {dy, g.x(1), int32_scalar(x[x.rank() - 2]), int32_scalar(x[x.rank() - 1]), ops::like(0, dy)},
      g.raw_attrs());
}

void matrix_set_diag_grad(GradCtx& g, bool v3) {
  const Tensor dy = g.dy(0);
  const Tensor none = Tensor::zeros(dy.dtype(), g.x_shape(1));
  if (v3) {
    if (g.needs(0)) g.dx(0) = call("MatrixSetDiagV3", {dy, none, g.x(2)}, g.raw_attrs());
    if (!g.needs(1)) return;
    g.dx(1) = call("MatrixDiagPartV3", {dy, g.x(2), ops::like(0, dy)}, g.raw_attrs());
    return;
  }
  if (g.needs(0)) g.dx(0) = call("MatrixSetDiag", {dy, none});
  if (g.needs(1)) g.dx(1) = call("MatrixDiagPart", {dy});
}

OpRows tensor_diag_rows() {
  return {
      {.name = "Diag",
       .inputs = {{"diagonal", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kDiagTypes}},
       .shape = diag_shape,
       .kernel = general([](KernelCtx& c) {
         const int64_t n = c.in(0).num_elements();
         fill_with(c.out(), nullptr);
         StridedCopy copy;
         copy.add(n, 1, n + 1);
         copy.run(c.in(0).raw(), c.out().mutable_raw(), size_of(c.dtype()));
       }),
       .grad = [](GradCtx& g) { g.dx(0) = call("DiagPart", {g.dy(0)}); }},
      {.name = "DiagPart",
       .inputs = {{"input", "T"}},
       .outputs = {{"diagonal", "T"}},
       .types = {{"T", kDiagTypes}},
       .shape = diag_part_shape,
       .kernel = general([](KernelCtx& c) {
         const int64_t n = c.out().num_elements();
         StridedCopy copy;
         copy.add(n, n + 1, 1);
         copy.run(c.in(0).raw(), c.out().mutable_raw(), size_of(c.dtype()));
       }),
       .saves = {shape_of_in(0)},
       .grad =
           [](GradCtx& g) {
             if (g.x_shape(0).rank() == 0) {
               g.dx(0) = g.dy(0);
             } else {
               g.dx(0) = call("Diag", {g.dy(0)});
             }
           }},
      {.name = "MatrixBandPart",
       .inputs = {{"input", "T"}, {"num_lower", "Tindex", kHost}, {"num_upper", "Tindex", kHost}},
       .outputs = {{"band", "T"}},
       .types = {{"T", kPlain}, {"Tindex", kIndex, DType::kInt64}},
       .shape = band_part_shape,
       .kernel = general([](KernelCtx& c) {
         if (c.out().num_elements() == 0) return;
         with_width(size_of(c.dtype()), [&](auto unit) { band_part<decltype(unit)>(c); });
       }),
       .saves = {in(1), in(2)},
       .grad = [](GradCtx& g) { g.dx(0) = call("MatrixBandPart", {g.dy(0), g.x(1), g.x(2)}); }},
  };
}

OpRows matrix_diag_rows() {
  return {
      {.name = "MatrixDiag",
       .inputs = {{"diagonal", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kPlain}},
       .shape = matrix_diag_shape,
       .kernel = general(matrix_diag),
       .grad = [](GradCtx& g) { g.dx(0) = call("MatrixDiagPart", {g.dy(0)}); }},
      {.name = "MatrixDiagPart",
       .inputs = {{"input", "T"}},
       .outputs = {{"diagonal", "T"}},
       .types = {{"T", kPlain}},
       .shape =
           [](ShapeCtx& c) {
             if (!c.in(0).fully_known()) return Shape::unknown_rank();
             return diagonals_shape(c.in(0), band_of(c, -1));
           },
       .kernel = general(matrix_diag_part),
       .saves = {shape_of_in(0)},
       .grad =
           [](GradCtx& g) {
             const Tensor none = Tensor::zeros(g.dy(0).dtype(), g.x_shape(0));
             g.dx(0) = call("MatrixSetDiag", {none, g.dy(0)});
           }},
      {.name = "MatrixSetDiag",
       .inputs = {{"input", "T"}, {"diagonal", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kPlain}},
       .shape = matrix_set_diag_shape,
       .kernel = general(matrix_set_diag),
       .saves = {shape_of_in(1)},
       .grad = [](GradCtx& g) { matrix_set_diag_grad(g, false); }},
  };
}

OpRows band_rows() {
  const AttrsDef align = attrs_of<AlignAttrs>(field("align", &AlignAttrs::align));
  return {
      {.name = "MatrixDiagV3",
       .inputs = {{"diagonal", "T"},
                  {"k", "int32", kHost},
                  {"num_rows", "int32", kHost},
                  {"num_cols", "int32", kHost},
                  {"padding_value", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kPlain}},
       .attrs = align,
       .shape = matrix_diag_shape,
       .kernel = general(matrix_diag),
       .saves = {shape_of_in(0), in(1)},
       .grad = matrix_diag_v3_grad},
      {.name = "MatrixDiagPartV3",
       .inputs = {{"input", "T"}, {"k", "int32", kHost}, {"padding_value", "T"}},
       .outputs = {{"diagonal", "T"}},
       .types = {{"T", kPlain}},
       .attrs = align,
       .shape =
           [](ShapeCtx& c) {
             c.require(c.in(2).rank() <= 0, "padding_value must be a scalar, got shape ", c.in(2));
             if (!c.in(0).fully_known() || !c.has_value(1)) return Shape::unknown_rank();
             return diagonals_shape(c.in(0), band_of(c, 1));
           },
       .kernel = general(matrix_diag_part),
       .saves = {shape_of_in(0), in(1)},
       .grad = matrix_diag_part_v3_grad},
      {.name = "MatrixSetDiagV3",
       .inputs = {{"input", "T"}, {"diagonal", "T"}, {"k", "int32", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kPlain}},
       .attrs = align,
       .shape = matrix_set_diag_shape,
       .kernel = general(matrix_set_diag),
       .saves = {shape_of_in(1), in(2)},
       .grad = [](GradCtx& g) { matrix_set_diag_grad(g, true); }},
  };
}

}  // namespace

const Family diag_ops([]() -> OpRows {
  return join_rows({tensor_diag_rows(), matrix_diag_rows(), band_rows()});
});

}  // namespace agog
