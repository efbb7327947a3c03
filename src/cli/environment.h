// The environment variables of a client command.
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
  bool colours = true;  // NO_COLOR is not set, and the terminal is not dumb

  static Environment ofProcess();
};

}  // namespace mb::cli
