# TG_FULL_VERSION, which the program prints. Only a release build asks git: in the other trees each commit would
# compile and link every test again.
set(TG_VERSION "" CACHE STRING "version of the program; empty: that of git, or of the project")
if(TG_VERSION)
  set(TG_FULL_VERSION ${TG_VERSION})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/version.sh
    OUTPUT_VARIABLE TG_FULL_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
else()
  set(TG_FULL_VERSION ${PROJECT_VERSION})
endif()
