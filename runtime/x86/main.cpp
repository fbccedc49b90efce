// The main function of a program's executable, which bakerc links to the
// program's object: bakerc --target=x86 --emit=exe.
//
// Exit status: 0 done, 1 the input is wrong, 2 the command line is wrong, 3 a
// bug of Karakal.

#include "host/standalone/Standalone.h"

extern "C" const karakal::x86::ProgramTable karakal_x86_program;

int main(int argc, char **argv) {
  return karakal::host::runStandalone(karakal_x86_program, argc, argv);
}
