# Writes OUTPUT: every file of FOLDERS as bytes, sorted by name; x.gz becomes the compressed form of x. What #embed takes in is
# not seen by the compiler's cache: its hash stands in the name of each array.
set(names "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB files ${folder}/*)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    set(path_${name} ${file})
    list(APPEND names ${name})
  endforeach()
endforeach()
list(SORT names)
set(arrays "")
set(entries "")
function(embed path array_name)
  file(SHA256 ${path} hash)
  set(array k${hash})
  set(${array_name} ${array} PARENT_SCOPE)
  set(arrays "${arrays}constexpr unsigned char ${array}[] = {\n#embed \"${path}\"\n};\n" PARENT_SCOPE)
endfunction()
foreach(name IN LISTS names)
  if(name MATCHES "\\.gz$")
    continue()
  endif()
  embed(${path_${name}} plain)
  set(compressed "")
  if(DEFINED path_${name}.gz)
    embed(${path_${name}.gz} array)
    set(compressed ", textOf(${array})")
  endif()
  string(APPEND entries "      {\"${name}\", textOf(${plain})${compressed}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"pages/embedded.h\"

namespace mb::pages {

namespace {

${arrays}
template <size_t N>
std::string_view textOf(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

}  // namespace

std::span<const EmbeddedFile> embeddedFiles() {
  static const EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace mb::pages
")
