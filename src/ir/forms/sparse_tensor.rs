//! The encodings of the dialect `sparse_tensor`.

use super::class_lists::items_until;
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_class("#sparse_tensor.encoding", Encoding);
}

/// `<{ map = [s0](d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32 }>`
#[derive(Debug)]
struct Encoding;

/// The properties of a level, in the order in which they are printed.
const PROPERTIES: [&str; 3] = ["nonunique", "nonordered", "soa"];

/// The members after the map, in the order in which they are printed.
const MEMBERS: [&str; 4] = ["posWidth", "crdWidth", "explicitVal", "implicitVal"];

impl ClassForm for Encoding {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        text.literal("{")?;
        if !text.is_literal("map") {
            return Err(text.expected("'map'"));
        }
        text.write(" ");
        text.literal("map")?;
        text.consume("=")?;
        text.write(" = ");
        map(text)?;
        let mut members = Vec::new();
        while text.skip(",") {
            let Some(name) = text.optional_keyword() else { break };
            text.consume("=")?;
            members.push((name, text.item()));
        }
        for name in MEMBERS {
            let Some((_, value)) = members.iter().find(|(member, _)| member == name) else { continue };
            let is_width = name.ends_with("Width");
            // Zero is the default of widths.
            if is_width && value == "0" {
                continue;
            }
            let value = if is_width { value.clone() } else { text.printed(value)? };
            text.write(&format!(", {name} = {value}"));
        }
        if !members.iter().all(|(name, _)| MEMBERS.contains(&name.as_str())) {
            return Err(text.expected("a known member"));
        }
        text.write(" ");
        text.literal("}")?;
        text.literal(">")
    }
}

/// Reads names with commas between them, and the closing bracket.
fn names_until(text: &mut dyn ClassText, close: &str) -> FormResult<Vec<String>> {
    let mut names = Vec::new();
    while let Some(name) = text.optional_keyword() {
        names.push(name);
        if !text.skip(",") {
            break;
        }
    }
    text.consume(close)?;
    Ok(names)
}

fn map(text: &mut dyn ClassText) -> FormResult<()> {
    let mut symbols = Vec::new();
    if text.skip("[") {
        symbols = names_until(text, "]")?;
        let names: Vec<String> = (0..symbols.len()).map(|number| format!("s{number}")).collect();
        text.write(&format!("[{}]", names.join(", ")));
    }
    // Level variables in braces are declared before the dimensions. Each level repeats the name of its variable.
    let variables = if text.skip("{") { names_until(text, "}")? } else { Vec::new() };
    text.literal("(")?;
    let mut dims = Vec::new();
    items_until(text, ")", |text| {
        let Some(name) = text.optional_keyword() else { return Err(text.expected("a dimension")) };
        text.write(&format!("d{}", dims.len()));
        dims.push(name);
        if text.skip("=") {
            // The inverse of the map is not printed.
            text.item();
        }
        if text.skip(":") {
            text.write(" : ");
            slice(text)?;
        }
        Ok(())
    })?;
    text.consume("->")?;
    text.write(" -> ");
    text.literal("(")?;
    let mut level = 0;
    items_until(text, ")", |text| {
        let item = text.item();
        let Some((expression, kind)) = item.rsplit_once(':') else {
            return Err(text.expected("a level type"));
        };
        let expression = match variables.get(level) {
            Some(name) => expression.trim().strip_prefix(name.as_str()).map(str::trim_start),
            None => Some(expression),
        };
        let expression = expression.map(|rest| rest.trim().trim_start_matches('=').trim());
        let Some(expression) = expression else { return Err(text.expected("the variable of the level")) };
        level += 1;
        let whole = format!("affine_map<({})[{}] -> ({expression})>", dims.join(", "), symbols.join(", "));
        let printed = text.printed(&whole)?;
        let result = printed.split_once(" -> (").and_then(|(_, rest)| rest.strip_suffix(")>")).unwrap_or("");
        text.write(result);
        text.write(" : ");
        match level_type(kind.trim()) {
            Some(kind) => text.write(&kind),
            None => return Err(text.expected("a level type")),
        }
        Ok(())
    })
}

/// Transcribes `#sparse_tensor<slice(?, 4, 1)>`.
fn slice(text: &mut dyn ClassText) -> FormResult<()> {
    let item = text.item();
    let inside = item.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let Some((inside, _)) = inside.filter(|_| item.starts_with("#sparse_tensor<slice")) else {
        return Err(text.expected("a slice"));
    };
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    text.write(&format!("#sparse_tensor<slice({})>", parts.join(", ")));
    Ok(())
}

/// The text of a level type as MLIR prints it, such as `compressed(nonunique, nonordered)` or `structured[2, 4]`;
/// `None` if a property is unknown.
fn level_type(text: &str) -> Option<String> {
    let (head, properties) = match text.split_once('(') {
        Some((head, rest)) => (head.trim(), rest.strip_suffix(')')?),
        None => (text, ""),
    };
    let mut properties: Vec<&str> =
        properties.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let place = |word: &&str| PROPERTIES.iter().position(|known| known == word);
    if !properties.iter().all(|word| place(word).is_some()) {
        return None;
    }
    properties.sort_unstable_by_key(place);
    properties.dedup();
    let head = match head.split_once('[') {
        Some((name, sizes)) => {
            let sizes: Vec<&str> = sizes.strip_suffix(']')?.split(',').map(str::trim).collect();
            format!("{}[{}]", name.trim(), sizes.join(", "))
        }
        None => head.to_owned(),
    };
    Some(if properties.is_empty() { head } else { format!("{head}({})", properties.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::level_type;

    #[test]
    fn the_properties_of_a_level_have_a_fixed_order() {
        let of = |text| level_type(text);
        assert_eq!(of("dense").as_deref(), Some("dense"));
        let both = of("compressed (nonordered,nonunique)");
        assert_eq!(both.as_deref(), Some("compressed(nonunique, nonordered)"));
        assert_eq!(of("structured[2,4]").as_deref(), Some("structured[2, 4]"));
        assert_eq!(of("dense(sparse)"), None);
    }
}
