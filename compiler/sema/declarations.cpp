#include "compiler/sema/declarations.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/syntax/parse.h"

namespace netc {

UseLoader disk_loader(SourceMap& sources) {
  auto known = std::make_shared<std::unordered_map<std::string, FileId>>();
  return [&sources, known](const std::string& path) -> FileId {
    if (const auto found = known->find(path); found != known->end()) return found->second;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return kNoFile;
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) return kNoFile;
    return known->emplace(path, sources.add(path, std::move(text).str())).first->second;
  };
}

namespace sema {

const char* kind_name(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::constant: return "const";
    case Symbol::Kind::param: return "param";
    case Symbol::Kind::data: return "data";
    case Symbol::Kind::block: return "block";
    case Symbol::Kind::net: return "net";
    case Symbol::Kind::module: return "file";
  }
  return "";
}

namespace {

std::string joined(const std::string& using_path, const std::string& used) {
  const std::filesystem::path folder = std::filesystem::path(using_path).parent_path();
  return (folder / used).lexically_normal().generic_string();
}

}  // namespace

Declarations::Declarations(const ast::File& root, const UseLoader& loader, Diagnostics& diagnostics)
    : loader_(loader), diagnostics_(diagnostics) {
  const std::string path = root.id == kNoFile ? std::string() : diagnostics.sources().path(root.id);
  loading_.push_back({std::filesystem::path(path).lexically_normal().generic_string(), Span{}});
  root_ = load(root, path);
  loading_.clear();
}

void Declarations::declare(Module& module, std::string_view name, std::string_view what, const Symbol* symbol) {
  const auto [at, inserted] = module.names.emplace(name, symbol);
  if (inserted) {
    module.ordered.emplace_back(name);
    return;
  }
  diagnostics_.error(Code::N0203, symbol->span, "`" + std::string(name) + "` is declared twice")
      .label(at->second->span, "first here, as a " + std::string(kind_name(at->second->kind)))
      .help("rename one of them" + (what.empty() ? "" : ", or the " + std::string(what)));
}

const Module* Declarations::load(const ast::File& file, std::string path) {
  auto owned = std::make_unique<Module>();
  Module& module = *owned;
  module.file = &file;
  module.path = std::move(path);
  module.incomplete = file.broken;
  for (const ast::Use& use : file.uses) import(module, use);
  std::unordered_map<std::string_view, Span> runs[2];   // trains and plans have names of their own
  for (const ast::Decl& decl : file.decls) {
    Symbol symbol;
    symbol.home = &module;
    if (const auto* d = std::get_if<ast::ConstDecl>(&decl)) {
      symbol.kind = Symbol::Kind::constant;
      symbol.constant = d;
      symbol.span = d->name.span;
      declare(module, d->name.text, "", &symbols_.emplace_back(std::move(symbol)));
    } else if (const auto* p = std::get_if<ast::ParamDecl>(&decl)) {
      symbol.kind = Symbol::Kind::param;
      symbol.param = p;
      symbol.span = p->name.span;
      declare(module, p->name.text, "", &symbols_.emplace_back(std::move(symbol)));
    } else if (const auto* data = std::get_if<ast::DataDecl>(&decl)) {
      symbol.kind = Symbol::Kind::data;
      symbol.data = data;
      symbol.span = data->name.span;
      declare(module, data->name.text, "", &symbols_.emplace_back(std::move(symbol)));
    } else if (const auto* block = std::get_if<ast::BlockDecl>(&decl)) {
      symbol.kind = Symbol::Kind::block;
      symbol.block = block;
      symbol.span = block->name.span;
      declare(module, block->name.text, "", &symbols_.emplace_back(std::move(symbol)));
    } else if (const auto* net = std::get_if<ast::NetDecl>(&decl)) {
      symbol.kind = Symbol::Kind::net;
      symbol.net = net;
      symbol.span = net->name.span;
      declare(module, net->name.text, "", &symbols_.emplace_back(std::move(symbol)));
    } else if (const auto* train = std::get_if<ast::TrainDecl>(&decl)) {
      const auto [at, fresh] = runs[0].emplace(train->name.text, train->name.span);
      if (!fresh)
        diagnostics_.error(Code::N0203, train->name.span, "`" + train->name.text + "` is declared twice")
            .label(at->second, "first here, as a train");
    } else if (const auto* plan = std::get_if<ast::PlanDecl>(&decl)) {
      const auto [at, fresh] = runs[1].emplace(plan->name.text, plan->name.span);
      if (!fresh)
        diagnostics_.error(Code::N0203, plan->name.span, "`" + plan->name.text + "` is declared twice")
            .label(at->second, "first here, as a plan");
    }
  }
  modules_.push_back(std::move(owned));
  return &module;
}

void Declarations::import(Module& module, const ast::Use& use) {
  if (use.path.empty()) {
    module.incomplete = true;
    return;
  }
  const std::string path = joined(module.path, use.path);
  for (size_t i = 0; i < loading_.size(); ++i) {
    if (loading_[i].first != path) continue;
    std::string circle;
    for (size_t k = i; k < loading_.size(); ++k) circle += loading_[k].first + " -> ";
    Diagnostic& d = diagnostics_.error(Code::N0209, use.path_span, "imports form a circle: " + circle + path);
    for (size_t k = i + 1; k < loading_.size(); ++k) d.label(loading_[k].second, "used here");
    d.help("move the common blocks to a third file");
    module.incomplete = true;
    return;
  }
  const Module* used = nullptr;
  if (const auto known = by_path_.find(path); known != by_path_.end()) {
    used = known->second;
  } else {
    const FileId id = loader_ ? loader_(path) : kNoFile;
    if (id == kNoFile) {
      diagnostics_.error(Code::N0208, use.path_span, "cannot read `" + use.path + "`")
          .note("looked for " + path)
          .help("paths are relative to the folder of the file that uses them");
    } else {
      files_.push_back(std::make_unique<ast::File>(parse(id, diagnostics_.sources(), diagnostics_)));
      loading_.push_back({path, use.path_span});
      used = load(*files_.back(), path);
      loading_.pop_back();
    }
    by_path_.emplace(path, used);
  }
  if (!used) {
    module.incomplete = true;
    return;
  }
  module.incomplete = module.incomplete || used->incomplete;
  if (use.alias) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::module;
    symbol.module = used;
    symbol.home = &module;
    symbol.span = use.alias->span;
    declare(module, use.alias->text, "", &symbols_.emplace_back(std::move(symbol)));
    return;
  }
  for (const std::string& name : used->ordered) {
    const Symbol* symbol = used->find(name);
    if (symbol->home != used) continue;   // what a used file uses itself stays there
    const auto [at, fresh] = module.names.emplace(std::string_view(name), symbol);
    if (fresh) {
      module.ordered.push_back(name);
    } else if (at->second != symbol) {
      const std::string other = at->second->home->path;
      diagnostics_.error(Code::N0210, use.path_span, "`" + name + "` comes from " + other + " and from " + used->path)
          .label(at->second->span, "this one")
          .label(symbol->span, "and this one")
          .help("`use \"" + use.path + "\" as b`, then `b." + name + "`");
    }
  }
}

}  // namespace sema
}  // namespace netc
