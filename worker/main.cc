// manybase-worker: runs the functions of one project in a confined process.
#include "program.h"

int main(int count, char** words) {
  return mb::worker::runProgram(count, words, nullptr);
}
