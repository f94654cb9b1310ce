# docs/reference.md says what the kinds say of themselves.
execute_process(COMMAND ${COMMAND} list --markdown OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FILE} written)
if(NOT listed STREQUAL written)
  message(FATAL_ERROR "${FILE} is stale; 'make reference' writes it anew")
endif()
