// What a client command takes from the environment of the program.
#pragma once

#include <filesystem>
#include <string>

namespace mb::cli {

struct Environment {
  std::string url;      // MANYBASE_URL
  std::string token;    // MANYBASE_TOKEN
  std::string project;  // MANYBASE_PROJECT
  // $XDG_CONFIG_HOME/manybase, else ~/.config/manybase; empty where there is no home.
  std::filesystem::path folder;
  std::string caFile;   // SSL_CERT_FILE
  bool colours = true;  // no NO_COLOR, and no dumb terminal

  static Environment ofProcess();
};

}  // namespace mb::cli
