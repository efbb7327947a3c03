// manybase-worker: runs the functions of one project, and nothing else can be done in it.
#include "program.h"

int main(int count, char** words) {
  return mb::worker::runProgram(count, words, nullptr);
}
