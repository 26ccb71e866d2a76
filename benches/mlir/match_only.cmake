# Turns generated rewriters into matchers: skips the code after the mark of the rewrite part.
file(READ ${INPUT} text)
string(REGEX REPLACE ";" "<semicolon>" text "${text}")
string(REGEX REPLACE "// Rewrite\n" "// Rewrite\n    if (bench::matchOnly) { ++bench::matched<semicolon> return ::mlir::success()<semicolon> }\n" text "${text}")
string(REGEX REPLACE "populateWithGenerated" "populateWithGenerated${NAME}" text "${text}")
string(REGEX REPLACE "<semicolon>" ";" text "${text}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\nnamespace rules${NAME} {\n${text}}\nvoid populateRules${NAME}(mlir::RewritePatternSet &set) { rules${NAME}::populateWithGenerated${NAME}(set); }\n")
