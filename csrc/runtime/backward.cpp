// The walk back through a tape: from targets to sources, in reverse order of execution.
#include <algorithm>

#include "op/call.h"
#include "runtime/tape.h"

namespace agog {

namespace {

// The whole tensor of rows.
Tensor dense(RowsGradient rows) {
  static const ops::Caller segment_sum{"UnsortedSegmentSum"};
  Tensor count = Tensor::scalar<int64_t>(rows.shape[0]);
  return segment_sum(std::move(rows.values), std::move(rows.indices), std::move(count));
}

Tensor joined(Tensors parts) {
  static const Op& concat = find_op("ConcatV2");
  parts.push_back(Tensor::scalar<int32_t>(0));
  return execute1(concat, parts.data(), static_cast<int>(parts.size()), nullptr);
}

}  // namespace

// Adds up what flows into one tensor. Rows are kept apart from the rest, and one after another.
class GradientSum {
 public:
  void add(Tensor t) { sum_ = sum_ ? std::move(sum_) + std::move(t) : std::move(t); }
  void add(RowsGradient rows) { rows_.push_back(std::move(rows)); }
  bool empty() const { return !sum_; }
  Tensor take() { return std::move(sum_); }
  const Tensor& get() const { return sum_; }

  // Rows where nothing but rows came.
  Tape::Gradient total() const {
    if (rows_.empty()) return {sum_, {}};
    RowsGradient rows = rows_[0];
    if (rows_.size() > 1) {
      Tensors values, indices;
      for (const RowsGradient& r : rows_) {
        values.push_back(r.values);
        indices.push_back(ops::cast(r.indices, DType::kInt64));
      }
      rows = {joined(std::move(values)), joined(std::move(indices)), rows.shape};
    }
    if (!sum_) return {{}, std::move(rows)};
    return {sum_ + dense(std::move(rows)), {}};
  }

 private:
  Tensor sum_;
  std::vector<RowsGradient> rows_;
};

class BackwardPass {
 public:
  BackwardPass(Tape& tape, const Tensors& sources, bool keep, std::vector<Tape::Cut>* cuts);
  std::vector<Tape::Gradient> run(const Tensors& targets, const Tensors& output_gradients);

 private:
  // A record on the way, with the sums for its outputs.
  struct Stop {
    int64_t record;
    bool needed = false;  // some source is upstream
    std::vector<GradientSum> dy;
  };

  void collect(const Tensors& targets);
  void mark_needed();
  void process(Stop& stop);
  void flow(const Record::Input& in, Tensor dx);
  void keep_for_sources(const Record& r, Stop& stop);
  Tensors gradients_of(const Record& r, Stop& stop, const std::vector<bool>& needs,
                       RowsGradient* rows);
  bool leads_to_source(const Record::Input& in) const;
  const Stop* stop_at(int64_t record) const {
    const int* i = record < 0 ? nullptr : stop_of_.find(record + 1);
    return i ? &stops_[static_cast<size_t>(*i)] : nullptr;
  }
  Stop* stop_at(int64_t record) {
    return const_cast<Stop*>(static_cast<const BackwardPass*>(this)->stop_at(record));
  }
  GradientSum* source_sum(int64_t id) {
    const int* i = source_of_.find(id);
    return i ? &source_sums_[static_cast<size_t>(*i)] : nullptr;
  }

  Tape& tape_;
  const Tensors& sources_;
  const bool keep_;
  std::vector<Tape::Cut>* const cuts_;  // may be null
  IdMap<int> source_of_;                // tensor id -> place in source_sums_
  std::vector<GradientSum> source_sums_;
  std::vector<Stop> stops_;  // ascending by record
  IdMap<int> stop_of_;       // record + 1 -> place in stops_
};

BackwardPass::BackwardPass(Tape& tape, const Tensors& sources, bool keep,
                           std::vector<Tape::Cut>* cuts)
    : tape_(tape), sources_(sources), keep_(keep || tape.persistent_), cuts_(cuts) {
  source_sums_.resize(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!source_of_.find(sources[i].id())) source_of_.set(sources[i].id(), static_cast<int>(i));
  }
}

void BackwardPass::collect(const Tensors& targets) {
  std::vector<int64_t> todo, found;
  auto visit = [&](int64_t record) {
    if (record < 0 || stop_of_.find(record + 1)) return;
    const Record* r = tape_.get(record);
    if (r == nullptr || r->blocked) return;
    stop_of_.set(record + 1, 0);
    todo.push_back(record);
  };
  for (const Tensor& t : targets) {
    if (const Tape::Entry* e = tape_.entries_.find(t.id()); e && e->live) visit(e->record);
  }
  while (!todo.empty()) {
    const int64_t r = todo.back();
    todo.pop_back();
    found.push_back(r);
    for (const Record::Input& in : tape_.get(r)->inputs) {
      if (in.differentiable) visit(in.producer);
    }
  }
  std::sort(found.begin(), found.end());
  stops_.resize(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    stops_[i].record = found[i];
    stop_of_.set(found[i] + 1, static_cast<int>(i));
  }
}

bool BackwardPass::leads_to_source(const Record::Input& in) const {
  if (!in.differentiable) return false;
  if (source_of_.find(in.id)) return true;
  const Stop* s = stop_at(in.producer);
  return s && s->needed;
}

void BackwardPass::mark_needed() {
  for (Stop& s : stops_) {
    const Record& r = *tape_.get(s.record);
    s.needed = std::any_of(r.inputs.begin(), r.inputs.end(),
                           [&](const Record::Input& in) { return leads_to_source(in); });
    s.dy.resize(r.output_ids.size());
  }
}

void BackwardPass::flow(const Record::Input& in, Tensor dx) {
  if (Stop* s = stop_at(in.producer)) {
    s->dy[static_cast<size_t>(in.output)].add(std::move(dx));
  } else if (GradientSum* sum = source_sum(in.id)) {
    sum->add(std::move(dx));
  }
}

// All that flows into these outputs has arrived: sources among them are done.
void BackwardPass::keep_for_sources(const Record& r, Stop& stop) {
  for (size_t i = 0; i < r.output_ids.size(); ++i) {
    if (stop.dy[i].empty()) continue;
    if (GradientSum* sum = source_sum(r.output_ids[i])) sum->add(stop.dy[i].get());
  }
}

Tensors BackwardPass::gradients_of(const Record& r, Stop& stop, const std::vector<bool>& needs,
                                   RowsGradient* rows) {
  std::vector<Tensor> dy;
  for (GradientSum& sum : stop.dy) dy.push_back(sum.take());
  if (r.custom) {
    for (size_t i = 0; i < dy.size(); ++i) {
      if (dy[i]) continue;
      if (!is_differentiable(r.metas[i].dtype)) {
        dy[i] = Tensor::zeros(DType::kFloat, r.metas[i].shape.get());
      } else {
        dy[i] = Tensor::zeros(r.metas[i].dtype, r.metas[i].shape.get());
      }
    }
    return r.custom->run(dy);
  }
  GradCtx ctx(r, dy, needs, rows);
  r.op->def.grad(ctx);
  return std::move(ctx.results());
}

void BackwardPass::process(Stop& stop) {
  Record& r = *tape_.get(stop.record);
  keep_for_sources(r, stop);
  const bool reached =
      std::any_of(stop.dy.begin(), stop.dy.end(), [](const GradientSum& g) { return !g.empty(); });
  if (!stop.needed || !reached) return;
  std::vector<bool> needs;
  for (const Record::Input& in : r.inputs) needs.push_back(leads_to_source(in));
  RowsGradient rows;
  GradientSum* rows_to =
      needs.empty() || stop_at(r.inputs[0].producer) ? nullptr : source_sum(r.inputs[0].id);
  Tensors dx = gradients_of(r, stop, needs, rows_to ? &rows : nullptr);
  const bool is_rows = static_cast<bool>(rows.values);
  if (is_rows) rows_to->add(std::move(rows));
  size_t next_small = 0;
  for (size_t i = 0; i < r.inputs.size() && i < dx.size(); ++i) {
    while (next_small < r.unbroadcast.size() &&
           r.unbroadcast[next_small].first < static_cast<int>(i)) {
      ++next_small;
    }
    if (!needs[i] || (is_rows && i == 0)) continue;
    if (!dx[i]) {
      if (cuts_) cuts_->push_back({stop.record, static_cast<int>(i)});
      continue;
    }
    Tensor g = std::move(dx[i]);
    if (next_small < r.unbroadcast.size() &&
        r.unbroadcast[next_small].first == static_cast<int>(i)) {
      g = ops::sum_to(std::move(g), r.unbroadcast[next_small].second.get());
    }
    flow(r.inputs[i], std::move(g));
  }
}

std::vector<Tape::Gradient> BackwardPass::run(const Tensors& targets,
                                              const Tensors& output_gradients) {
  collect(targets);
  mark_needed();
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& t = targets[i];
    if (!is_differentiable(t.dtype())) continue;
    const Tape::Entry* e = tape_.entries_.find(t.id());
    if (e && !e->live) e = nullptr;
    // A target that is a source is 1 by itself, watched or not.
    if (e == nullptr && !source_sum(t.id())) continue;
    Tensor dy = i < output_gradients.size() && output_gradients[i]
                    ? output_gradients[i]
                    : ops::filled(1.0, t.dtype(), t.shape());
    flow({t.id(), e ? e->record : -1, e ? e->output : 0, true}, std::move(dy));
  }
  for (size_t i = stops_.size(); i-- > 0;) {
    process(stops_[i]);
    if (!keep_) tape_.records_[static_cast<size_t>(stops_[i].record)].reset();
    stops_[i].dy.clear();
  }
  std::vector<Tape::Gradient> result;
  for (const Tensor& s : sources_) result.push_back(source_sum(s.id())->total());
  return result;
}

std::vector<Tape::Gradient> Tape::gradients(const Tensors& targets, const Tensors& sources,
                                            const Tensors& output_gradients, bool keep,
                                            std::vector<Cut>* cuts) {
  const TapeHold held(*this);
  return BackwardPass(*this, sources, keep, cuts).run(targets, output_gradients);
}

Tensors Tape::gradient(const Tensors& targets, const Tensors& sources,
                       const Tensors& output_gradients, bool keep, std::vector<Cut>* cuts) {
  Tensors result;
  for (Gradient& g : gradients(targets, sources, output_gradients, keep, cuts)) {
    result.push_back(g.rows.values ? dense(std::move(g.rows)) : std::move(g.dense));
  }
  return result;
}

namespace {

[[noreturn]] void not_saved(const Record& r, const char* kind, int i) {
  fail(ErrorCode::kInternal, "the gradient of ", r.op->def.name, " reads ", kind, " ", i,
       ", which its row does not save");
}

// Position of flat tensor i among what the saves of these two kinds hold.
const Save* saved_at(const Record& r, bool input, bool shape, int i, size_t* position) {
  const Op& op = *r.op;
  const int n = static_cast<int>(r.inputs.size());
  size_t at = 0;
  for (const Save& s : op.def.saves) {
    const bool is_shape = s.kind == Save::kInputShape || s.kind == Save::kOutputShape;
    if (is_shape != shape) continue;
    const bool is_input = s.kind == Save::kInput || s.kind == Save::kInputShape;
    int first = s.index, count = 1;
    if (is_input && op.num_lists > 0) {
      first = 0;
      while (op.arg_of(first, n) < s.index) ++first;
      count = 0;
      while (first + count < n && op.arg_of(first + count, n) == s.index) ++count;
    } else if (!is_input && op.list_output) {
      first = 0;
      count = static_cast<int>(r.output_ids.size());
    }
    if (is_input == input && i >= first && i < first + count) {
      *position = at + static_cast<size_t>(i - first);
      return &s;
    }
    at += static_cast<size_t>(count);
  }
  return nullptr;
}

}  // namespace

const Tensor& GradCtx::x(int i) const {
  size_t at = 0;
  if (!saved_at(record_, true, false, i, &at)) not_saved(record_, "input", i);
  return record_.saved[at];
}

const Tensor& GradCtx::y(int i) const {
  size_t at = 0;
  if (!saved_at(record_, false, false, i, &at)) not_saved(record_, "output", i);
  return record_.saved[at];
}

Shape GradCtx::x_shape(int i) const {
  size_t at = 0;
  if (saved_at(record_, true, true, i, &at)) return record_.metas[at].shape.get();
  return x(i).shape();
}

DType GradCtx::x_dtype(int i) const {
  size_t at = 0;
  if (saved_at(record_, true, true, i, &at)) return record_.metas[at].dtype;
  return x(i).dtype();
}

Tensor GradCtx::dy(int i) {
  Tensor& t = dy_[static_cast<size_t>(i)];
  if (t) return t;
  size_t at = 0;
  if (saved_at(record_, false, true, i, &at)) {
    const Record::Meta& meta = record_.metas[at];
    t = Tensor::zeros(meta.dtype, meta.shape.get());
  } else {
    const Tensor& output = y(i);
    t = Tensor::zeros(output.dtype(), output.shape());
  }
  return t;
}

const void* GradCtx::raw_attrs() const {
  return record_.attrs ? record_.attrs->get() : record_.op->def.attrs.defaults;
}

}  // namespace agog
