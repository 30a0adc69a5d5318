# cmake --install build/release [--strip] [--prefix /usr]: the program, its unit, man pages, completions, examples
# and documentation. Nothing is written to /etc: an installation never replaces a configuration.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()

install(TARGETS ticketgate RUNTIME DESTINATION bin)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/ticketgate)
install(DIRECTORY docs DESTINATION share/doc/ticketgate FILES_MATCHING PATTERN "*.md")
install(DIRECTORY config/ DESTINATION share/doc/ticketgate/examples FILES_MATCHING PATTERN "*.yaml")
install(FILES deploy/systemd/low-ports.conf deploy/systemd/ticketgate.socket DESTINATION share/doc/ticketgate/examples)
install(DIRECTORY deploy/monitoring DESTINATION share/doc/ticketgate/examples)
install(FILES config/schema.json DESTINATION share/ticketgate)

# The unit names the program by its path, and the prefix is known only now.
set(TG_UNIT ${PROJECT_SOURCE_DIR}/deploy/systemd/ticketgate.service)
install(CODE "file(READ \"${TG_UNIT}\" unit)
string(REPLACE /usr/local/bin \"\${CMAKE_INSTALL_PREFIX}/bin\" unit \"\${unit}\")
file(WRITE \"${PROJECT_BINARY_DIR}/ticketgate.service\" \"\${unit}\")")
install(FILES ${PROJECT_BINARY_DIR}/ticketgate.service DESTINATION lib/systemd/system)

# Man pages and completions come from the program's own --help and `reference`.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "no python3: no man pages and no completions")
  return()
endif()
set(TG_MANUAL ${PROJECT_BINARY_DIR}/manual)
set(TG_MANUAL_PAGES ${TG_MANUAL}/ticketgate.1 ${TG_MANUAL}/ticketgate.yaml.5)
set(TG_COMPLETIONS ${TG_MANUAL}/ticketgate.bash ${TG_MANUAL}/_ticketgate ${TG_MANUAL}/ticketgate.fish)
add_custom_command(OUTPUT ${TG_MANUAL_PAGES} ${TG_COMPLETIONS}
  COMMAND ${Python3_EXECUTABLE} -B deploy/package/manual.py $<TARGET_FILE:ticketgate> . ${TG_MANUAL}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  DEPENDS ticketgate docs/operations.md
    deploy/package/manual.py deploy/package/cli.py deploy/package/completions.py
  COMMENT "man pages and completions" VERBATIM)
add_custom_target(manual ALL DEPENDS ${TG_MANUAL_PAGES} ${TG_COMPLETIONS})
install(FILES ${TG_MANUAL}/ticketgate.1 DESTINATION share/man/man1)
install(FILES ${TG_MANUAL}/ticketgate.yaml.5 DESTINATION share/man/man5)
install(FILES ${TG_MANUAL}/ticketgate.bash DESTINATION share/bash-completion/completions RENAME ticketgate)
install(FILES ${TG_MANUAL}/_ticketgate DESTINATION share/zsh/site-functions)
install(FILES ${TG_MANUAL}/ticketgate.fish DESTINATION share/fish/vendor_completions.d)
