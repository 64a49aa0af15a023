# Warnings and sanitizers for every target, and the two functions that declare rooms and their tests.

add_library(wherry_flags INTERFACE)
target_compile_options(wherry_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Werror=return-type -fno-omit-frame-pointer)
if(WHERRY_SANITIZE)
  target_compile_options(wherry_flags INTERFACE -fsanitize=${WHERRY_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(wherry_flags INTERFACE -fsanitize=${WHERRY_SANITIZE})
endif()

# wherry_room(NAME DEPS ... PRIVATE ...): the static library of one room, from every source in its
# folder; x_test.cc, x_bench.cc and x_fuzz.cc are left to their own programs.
function(wherry_room name)
  cmake_parse_arguments(ARG "" "" "DEPS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  string(REPLACE "/" "_" target ${name})
  add_library(wherry_${target} STATIC ${sources})
  target_include_directories(wherry_${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(wherry_${target} PUBLIC wherry_flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE})
  if(WHERRY_TESTS AND tests)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE wherry_${target} ${ARG_PRIVATE} GTest::gtest GTest::gtest_main)
    add_test(NAME ${target}_test COMMAND ${target}_test)
  endif()
endfunction()
