# Warnings and sanitizers for every target, and the functions that declare rooms and their programs.

# Compiled objects are kept across build folders where ccache is installed. Its time macros and
# precompiled headers are looked past, else it could not keep anything built with WHERRY_PCH.
find_program(WHERRY_CCACHE ccache)
if(WHERRY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${WHERRY_CCACHE})
endif()

add_library(wherry_flags INTERFACE)
target_compile_options(wherry_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Werror=return-type -fno-omit-frame-pointer)
# g++ 12 reports these inside the standard library's own strings and optionals once it inlines them.
target_compile_options(wherry_flags INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-array-bounds;-Wno-restrict;-Wno-uninitialized;-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-stringop-overread>)
if(WHERRY_WERROR)
  target_compile_options(wherry_flags INTERFACE -Werror)
endif()
if(WHERRY_SANITIZE)
  target_compile_options(wherry_flags INTERFACE -fsanitize=${WHERRY_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(wherry_flags INTERFACE -fsanitize=${WHERRY_SANITIZE})
endif()

# One precompiled header with the standard library for all rooms, and one more for their tests.
# Only builds from nothing use them; without, a source has to include what it uses.
if(WHERRY_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/pch.cc "")
  add_library(wherry_pch OBJECT ${PROJECT_BINARY_DIR}/pch.cc)
  target_link_libraries(wherry_pch PRIVATE wherry_flags fmt::fmt)
  target_precompile_headers(wherry_pch PRIVATE ${CMAKE_CURRENT_LIST_DIR}/pch.h)
  if(WHERRY_TESTS)
    add_library(wherry_test_pch OBJECT ${PROJECT_BINARY_DIR}/pch.cc)
    target_link_libraries(wherry_test_pch PRIVATE wherry_flags fmt::fmt GTest::gtest)
    target_precompile_headers(wherry_test_pch PRIVATE ${CMAKE_CURRENT_LIST_DIR}/pch.h <gtest/gtest.h>)
  endif()
endif()

function(wherry_use_pch target pch)
  if(WHERRY_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

add_custom_target(fuzzers)  # every fuzz target

# A program whose only source of its own is FILE; it may use what the room itself uses.
function(wherry_room_program file room private)
  get_filename_component(program ${file} NAME_WE)
  add_executable(${program} ${file})
  target_link_libraries(${program} PRIVATE ${room} ${private})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  if(program MATCHES "_fuzz$")
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${program})
  endif()
endfunction()

# wherry_room(NAME DEPS ... PRIVATE ...): the static library of one room, from every source in its
# folder. Its x_test.cc together are one test program, which runs in the project's folder; each
# x_bench.cc and x_fuzz.cc is a program.
function(wherry_room name)
  cmake_parse_arguments(ARG "" "" "DEPS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  set(benches ${sources})
  set(fuzzers ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  string(REPLACE "/" "_" target ${name})
  if(NOT sources)
    add_library(wherry_${target} INTERFACE)  # a room of headers only
    target_include_directories(wherry_${target} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(wherry_${target} INTERFACE wherry_flags ${ARG_DEPS})
    return()
  endif()
  add_library(wherry_${target} STATIC ${sources})
  target_include_directories(wherry_${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(wherry_${target} PUBLIC wherry_flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE})
  wherry_use_pch(wherry_${target} wherry_pch)
  if(WHERRY_TESTS AND tests)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE wherry_${target} ${ARG_PRIVATE} GTest::gtest GTest::gtest_main)
    wherry_use_pch(${target}_test wherry_test_pch)
    add_test(NAME ${target}_test COMMAND ${target}_test WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  if(WHERRY_BENCH)
    foreach(file ${benches})
      wherry_room_program(${file} wherry_${target} "${ARG_PRIVATE}")
    endforeach()
  endif()
  if(WHERRY_FUZZ)
    foreach(file ${fuzzers})
      wherry_room_program(${file} wherry_${target} "${ARG_PRIVATE}")
    endforeach()
  endif()
endfunction()

# The target headers_alone compiles every header of ours as the only include of a source.
function(wherry_headers_alone)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
       ${PROJECT_SOURCE_DIR}/src/*.h)
  set(sources)
  foreach(header ${headers})
    string(REPLACE "/" "__" stem ${header})
    set(source ${PROJECT_BINARY_DIR}/headers_alone/${stem}.cc)
    if(NOT EXISTS ${source})
      file(WRITE ${source} "#include \"${header}\"\n#include \"${header}\"\n")
    endif()
    list(APPEND sources ${source})
  endforeach()
  add_library(headers_alone OBJECT EXCLUDE_FROM_ALL ${sources})
  target_include_directories(headers_alone PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(headers_alone PRIVATE wherry_flags fmt::fmt)
endfunction()
