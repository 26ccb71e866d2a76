//! The resource section of a file.

use hashbrown::HashMap;

use super::printer::Printer;
use crate::ir::module::{Module, ResourceGroup};

impl Printer<'_> {
    fn used_resources(&self, module: &Module) -> Vec<ResourceGroup> {
        let mut groups = module.resources.clone();
        for group in groups.iter_mut().filter(|group| !group.external && &*group.name == "builtin") {
            let mut places: HashMap<&str, usize> = HashMap::new();
            for (place, &key) in self.resources.iter().enumerate() {
                places.entry(self.context.str(key)).or_insert(place);
            }
            group.entries.retain(|(key, _)| places.contains_key(&**key));
            group.entries.sort_by_key(|(key, _)| places.get(&**key).copied());
        }
        groups.retain(|group| !group.entries.is_empty());
        groups
    }

    /// Writes the resource section. It contains the builtin resources to which the module refers, in order of
    /// reference, and all other resources, because the references to them are unknown.
    pub(super) fn resource_section(&mut self, module: &Module) {
        let groups = self.used_resources(module);
        let mut sections = [("dialect_resources", false), ("external_resources", true)]
            .into_iter()
            .filter(|&(_, external)| groups.iter().any(|group| group.external == external))
            .peekable();
        if sections.peek().is_none() {
            return;
        }
        self.out.push_str("\n{-#\n");
        while let Some((section, external)) = sections.next() {
            self.out.push_str("  ");
            self.out.push_str(section);
            self.out.push_str(": {\n");
            let mut groups = groups.iter().filter(|group| group.external == external).peekable();
            while let Some(group) = groups.next() {
                self.out.push_str("    ");
                self.keyword_or_string(&group.name);
                self.out.push_str(": {\n");
                let mut entries = group.entries.iter().peekable();
                while let Some((key, value)) = entries.next() {
                    self.out.push_str("      ");
                    self.keyword_or_string(key);
                    self.out.push_str(": ");
                    self.out.push_str(value);
                    self.out.push_str(if entries.peek().is_some() { ",\n" } else { "\n" });
                }
                self.out.push_str(if groups.peek().is_some() { "    },\n" } else { "    }\n" });
            }
            self.out.push_str(if sections.peek().is_some() { "  },\n" } else { "  }\n" });
        }
        self.out.push_str("#-}\n");
    }
}
