# mb_module(<name> [SMALL] LINKS <modules and libraries>...)
#
# Defines one static library mb_<name> from the *.cc of the current folder and, if it has *_test.cc, one test program
# <name>_test. Adding a source or a test changes no build file. The precompiled header is compiled once, by mb_pch, and
# shared. SMALL: no part of the module is on the path of a document's request, so the release build inlines little of it,
# which takes two thirds of the time.
function(mb_module name)
  cmake_parse_arguments(MODULE "SMALL" "" "LINKS;TEST_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(NOT sources)
    add_library(mb_${name} INTERFACE)
    target_include_directories(mb_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(mb_${name} INTERFACE ${MODULE_LINKS})
    return()
  endif()
  add_library(mb_${name} STATIC ${sources})
  target_include_directories(mb_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(mb_${name} PUBLIC ${MODULE_LINKS})
  if(MODULE_SMALL)
    target_compile_options(mb_${name} PRIVATE "$<$<CONFIG:RelWithDebInfo>:SHELL:-O1 -mllvm -inline-threshold=20>")
  endif()
  if(NOT name STREQUAL "pch")
    target_precompile_headers(mb_${name} REUSE_FROM mb_pch)
    target_link_libraries(mb_${name} PUBLIC mb_pch)
  endif()

  if(MB_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE mb_${name} ${MODULE_TEST_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${MB_TEST_OPTIONS})
    target_precompile_headers(${name}_test REUSE_FROM mb_pch_tests)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
endfunction()
