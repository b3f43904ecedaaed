// netc layers: the reference of the library, printed from the tables the compiler itself uses.
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "compiler/sema/analyze.h"

namespace netc {

int run_layers(Words words, Terminal& terminal) {
  std::string name;
  Arguments arguments("layers", "lists the layers, losses, optimizers and all other words of the library");
  arguments.positional("NAME", "explain only this one", &name, false)
      .example("netc layers", "everything there is, one line each")
      .example("netc layers dense", "its arguments with their defaults, its shapes and its weights");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  const std::string text = name.empty() ? layer_reference() : layer_reference(name);
  if (text.empty())
    throw UsageError("the library has nothing called `" + name + "`", "`netc layers` lists what there is");
  terminal.out << text;
  return kExitSuccess;
}

}  // namespace netc
