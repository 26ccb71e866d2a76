# Turns generated rewriters into matchers: inserts a return before each rewrite part, for use with bench::matchOnly.
file(READ ${INPUT} text)
string(REGEX REPLACE ";" "<semicolon>" text "${text}")
string(REGEX REPLACE "// Rewrite\n" "// Rewrite\n    if (bench::matchOnly) { ++bench::matched<semicolon> return ::mlir::success()<semicolon> }\n" text "${text}")
string(REGEX REPLACE "populateWithGenerated" "populateWithGenerated${NAME}" text "${text}")
string(REGEX REPLACE "<semicolon>" ";" text "${text}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\nnamespace rules${NAME} {\n${text}}\nvoid populateRules${NAME}(mlir::RewritePatternSet &set) { rules${NAME}::populateWithGenerated${NAME}(set); }\n")
