#include "op/registry.h"

#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "core/error.h"

namespace agog {
namespace {

using Table = std::map<std::string, std::unique_ptr<Op>, std::less<>>;

Table& table() {
  static Table* t = new Table;
  return *t;
}

TypeSource resolve_type(const OpDef& def, const char* type) {
  TypeSource s;
  if (type == nullptr) return s;
  for (size_t v = 0; v < def.types.size(); ++v) {
    if (std::strcmp(def.types[v].name, type) == 0) {
      s.how = TypeSource::kVar;
      s.var = static_cast<int>(v);
      return s;
    }
  }
  for (const AttrField& f : def.attrs.fields) {
    if (std::strcmp(f.name, type) == 0 && f.type == AttrType::kDType) {
      s.how = TypeSource::kAttr;
      s.attr_offset = f.offset;
      return s;
    }
  }
  for (int d = 0; d < kNumDTypes; ++d) {
    if (std::strcmp(kDTypeInfo[d].name, type) == 0) {
      s.how = TypeSource::kLiteral;
      s.literal = static_cast<DType>(d);
      return s;
    }
  }
  fail(ErrorCode::kInternal, "row ", def.name, ": nothing is called ", type);
}

void check_row(const OpDef& def) {
  auto need = [&](bool ok, const char* what) {
    if (!ok) fail(ErrorCode::kInternal, "row ", def.name, " ", what);
  };
  need(static_cast<bool>(def.grad), "says nothing about its gradient");
  need(def.kernel.kind != Kernel::kNone, "has no kernel");
  need(def.kernel.kind == Kernel::kDynamic || static_cast<bool>(def.shape), "has no shape rule");
  need(!def.attrs.fields.empty() || def.attrs.size == 0, "has attrs without fields");
  for (const Save& s : def.saves) {
    const bool input = s.kind == Save::kInput || s.kind == Save::kInputShape;
    const size_t n = input ? def.inputs.size() : def.outputs.size();
    need(s.index >= 0 && s.index < static_cast<int>(n), "saves what it does not have");
  }
}

bool is_simple_map(const Op& op) {
  if (op.def.kernel.kind != Kernel::kMap || op.num_lists > 0 || op.num_outputs != 1) return false;
  for (const TypeSource& t : op.in_types) {
    if (t.how != TypeSource::kVar || t.var != 0) return false;
  }
  const TypeSource& o = op.out_types[0];
  return (o.how == TypeSource::kVar && o.var == 0) || o.how == TypeSource::kLiteral;
}

std::unique_ptr<Op> resolve(OpDef def) {
  check_row(def);
  auto op = std::make_unique<Op>();
  op->def = std::move(def);
  OpDef& d = op->def;
  d.differentiable = d.grad.target<NoGradient>() == nullptr;
  op->num_args = static_cast<int>(d.inputs.size());
  op->num_outputs = static_cast<int>(d.outputs.size());
  for (const InputDef& i : d.inputs) {
    op->in_types.push_back(resolve_type(d, i.type));
    op->num_lists += i.count != nullptr;
  }
  for (const OutputDef& o : d.outputs) {
    op->out_types.push_back(resolve_type(d, o.type));
    op->list_output |= o.count != nullptr;
  }
  if (!d.inputs.empty()) {
    const TypeSource& t = op->in_types[0];
    op->reads_variable = t.how == TypeSource::kLiteral && t.literal == DType::kResource;
  }
  op->simple_map = is_simple_map(*op);
  if (op->simple_map) op->map_out = op->out_types[0].literal;
  return op;
}

}  // namespace

void register_ops(std::vector<OpDef> rows) {
  std::set<std::string> seen;
  for (OpDef& row : rows) {
    const std::string name = row.name;
    if (!seen.insert(name).second) fail(ErrorCode::kInternal, "two rows are called ", name);
    table()[name] = resolve(std::move(row));
  }
}

const Op* lookup_op(std::string_view name) {
  auto it = table().find(name);
  return it == table().end() ? nullptr : it->second.get();
}

const Op& find_op(std::string_view name) {
  const Op* op = lookup_op(name);
  if (op == nullptr) fail(ErrorCode::kNotFound, "no op is called ", name);
  return *op;
}

std::vector<const Op*> all_ops() {
  std::vector<const Op*> ops;
  for (auto& [name, op] : table()) ops.push_back(op.get());
  return ops;
}

}  // namespace agog
