# Flags of every target. Warnings are errors in this repository's code; third-party headers are system includes.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror
                    -fno-omit-frame-pointer)
# TRY and CO_TRY (base/error.h) are statement expressions.
add_compile_options(-Wno-gnu-statement-expression)
# ./run and ./test build RelWithDebInfo: optimised, with assertions and little debug information.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -gline-tables-only")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only")
set(MB_TEST_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O0>)
add_link_options(-fuse-ld=lld-19)
# Executables compile like libraries, so that all share one precompiled header.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
# A precompiled header is only cacheable when its timestamp is left out (ccache manual, "Precompiled headers").
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")

if(MB_SANITIZE)
  add_compile_options(-fsanitize=${MB_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MB_SANITIZE})
  # Boost and RocksDB are built without the sanitizers: vptr checks on their types would need their typeinfo.
  if(MB_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr)
    add_link_options(-fno-sanitize=vptr)
  endif()
endif()
if(MB_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Moves TARGET's debug information to TARGET.debug in the same folder, where debuggers and perf find it.
function(mb_split_debug target)
  if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${target}> $<TARGET_FILE:${target}>.debug
      COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=$<TARGET_FILE:${target}>.debug $<TARGET_FILE:${target}>
      VERBATIM)
  endif()
endfunction()
