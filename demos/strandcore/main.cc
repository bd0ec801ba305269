// The command-line tool; `strandcore --help` tells what it does.
#include <iostream>
#include <string>
#include <vector>

#include "demos/strandcore/catalogue.h"
#include "runtime/cli/command.h"

int main(int argc, char** argv) {
  return strandcore::RunCommand(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr,
                                strandcore::KernelCatalogue());
}
