# Turns generated rewriters into matchers: what follows the mark of the rewrite part is skipped.
file(READ ${INPUT} text)
string(REGEX REPLACE ";" "<semicolon>" text "${text}")
string(REGEX REPLACE "// Rewrite\n" "// Rewrite\n    if (bench::matchOnly) { ++bench::matched<semicolon> return ::mlir::success()<semicolon> }\n" text "${text}")
string(REGEX REPLACE "populateWithGenerated" "populateWithGenerated${INDEX}" text "${text}")
string(REGEX REPLACE "<semicolon>" ";" text "${text}")
file(WRITE ${OUTPUT} "#include \"bench.h\"\nnamespace rules${INDEX} {\n${text}}\nvoid populateRules${INDEX}(mlir::RewritePatternSet &set) { rules${INDEX}::populateWithGenerated${INDEX}(set); }\n")
