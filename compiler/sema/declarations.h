// All declarations of a file and of the files it uses, found by name. Order in a file does not matter.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/value.h"
#include "compiler/syntax/ast.h"

namespace netc::sema {

struct Symbol {
  enum class Kind : uint8_t { constant, param, data, block, net, module };
  Kind kind{};
  const ast::ConstDecl* constant = nullptr;   // the one that the kind says
  const ast::ParamDecl* param = nullptr;
  const ast::DataDecl* data = nullptr;
  const ast::BlockDecl* block = nullptr;
  const ast::NetDecl* net = nullptr;
  const Module* module = nullptr;             // `use ... as r`
  const Module* home = nullptr;               // the file that declares it
  Span span;                                  // its name, or the path of `use`

  // A constant or param is evaluated when it is first needed.
  enum class State : uint8_t { untouched, active, done };
  mutable State state = State::untouched;
  mutable Value value;
};

const char* kind_name(Symbol::Kind kind);

// One file with the names it can see: its own and those of the files it uses.
struct Module {
  const ast::File* file = nullptr;
  std::string path;
  std::unordered_map<std::string_view, const Symbol*> names;
  std::vector<std::string> ordered;           // the keys, in order of declaration: for suggestions
  bool incomplete = false;                    // something could not be read: unknown names stay silent

  const Symbol* find(std::string_view name) const {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : found->second;
  }
};

class Declarations {
 public:
  // Reads the used files through the loader. N0203, N0208, N0209, N0210.
  Declarations(const ast::File& root, const UseLoader& loader, Diagnostics& diagnostics);

  const Module& root() const { return *root_; }
  const std::deque<std::unique_ptr<Module>>& modules() const { return modules_; }   // root last

 private:
  const Module* load(const ast::File& file, std::string path);
  void declare(Module& module, std::string_view name, std::string_view what, const Symbol* symbol);
  void import(Module& module, const ast::Use& use);

  const UseLoader& loader_;
  Diagnostics& diagnostics_;
  std::deque<Symbol> symbols_;
  std::deque<std::unique_ptr<ast::File>> files_;         // of the used files
  std::deque<std::unique_ptr<Module>> modules_;
  std::vector<std::pair<std::string, Span>> loading_;    // paths being read, with the `use` that asked
  std::unordered_map<std::string, const Module*> by_path_;
  const Module* root_ = nullptr;
};

}  // namespace netc::sema
