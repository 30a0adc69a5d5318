# Compiler, linker and sanitizer settings; every target of ours links tg_options.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)  # 1.74, Debian's default, does not compile coroutines with g++ 12

add_library(tg_options INTERFACE)
target_compile_options(tg_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -Werror)
# The builds of ./dev test that run tests. precompiled.cmake makes them faster: one unit has several files, so the
# names of one file may shadow those of another.
string(REGEX MATCH "^(address|thread)$" TG_FAST_COMPILE "${TG_SANITIZE}")
if(NOT TG_FAST_COMPILE)
  target_compile_options(tg_options INTERFACE -Wshadow)
endif()
target_include_directories(tg_options INTERFACE ${PROJECT_SOURCE_DIR}/lib)
# Scratch memory that is used behind a suspension ends the program (task/scratch.hpp).
target_compile_definitions(tg_options INTERFACE $<$<CONFIG:Debug>:TG_CHECK_SCRATCH>)
target_include_directories(tg_options SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
# Asio allocates by operator new, for the sake of base/spare_memory.hpp.
target_compile_definitions(tg_options INTERFACE BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN)

find_program(TG_CCACHE ccache)
if(TG_CCACHE)
  # ccache keeps what uses a precompiled header only if it may ignore the times of files. Another clone finds what
  # this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 ${TG_CCACHE})
endif()
find_program(TG_MOLD mold)
if(TG_MOLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(tg_options INTERFACE -fuse-ld=mold)
endif()

if(TG_SANITIZE STREQUAL "address")
  # UBSan's checks trap, and ASan tells where (decision 90). With messages, each check is a global
  # variable that ASan registers at the start of each process: 351,000 of the 370,000 of ticketgate. The check of
  # dynamic types (vptr) knows no trap.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fsanitize-undefined-trap-on-error
                      -fno-omit-frame-pointer)
  # ASan's records hold addresses, which the start of each process would have to correct if the program could lie
  # anywhere.
  add_link_options(-fsanitize=address -no-pie)
elseif(TG_SANITIZE STREQUAL "fuzz")
  # clang warns of other things than g++, which is the compiler of everything else.
  target_compile_options(tg_options INTERFACE -Wno-error)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TG_SANITIZE STREQUAL "thread")
  # TSan does not understand Asio's fences (and g++ warns about them).
  add_compile_options(-fsanitize=thread -Wno-tsan)
  add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  add_link_options(-fsanitize=thread)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-fstack-protector-strong)
  add_compile_definitions(_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now)
  include(CheckPIESupported)
  check_pie_supported()
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()
