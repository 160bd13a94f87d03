//! What the core modules of a file take from the store that they run in.

use super::producers::Producers;
use crate::componentize::TYPE_SECTION;
use crate::error::Problem;
use crate::limits::store;
use wasmparser::{Encoding, Instance, Parser, Payload};

/// No module imports from as many others, and a file may claim millions.
const IMPORTS: usize = 1_000;

/// What its core modules take, all of them together and each counted once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoreFacts {
    pub modules: u64,
    /// How often it makes an instance of a core module.
    pub instances: u64,
    pub memories: u64,
    /// Bytes that its memories have at the start: the least that `limits.memory` has to be.
    pub initial_memory: u64,
    pub tables: u64,
    /// Elements of its largest table at the start.
    pub table_elements: u64,
}

/// As much may a store hold, whatever the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreLimits {
    pub instances: u64,
    pub memories: u64,
    pub tables: u64,
    /// Of each table.
    pub table_elements: u64,
}

impl StoreLimits {
    pub const HOST: Self = Self {
        instances: store::CORE_INSTANCES as u64,
        memories: store::MEMORIES as u64,
        tables: store::TABLES as u64,
        table_elements: store::TABLE_ELEMENTS as u64,
    };

    pub const fn allow(&self, facts: &CoreFacts) -> bool {
        facts.instances <= self.instances
            && facts.memories <= self.memories
            && facts.tables <= self.tables
            && facts.table_elements <= self.table_elements
    }
}

pub(super) struct Walked {
    pub(super) facts: CoreFacts,
    pub(super) producers: Producers,
    /// The modules that a file which is a core module imports from, each once.
    pub(super) imports: Vec<String>,
}

/// Goes through a file with all that is nested in it.
#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum: of its many sections these alone matter")]
pub(super) fn walk(bytes: &[u8]) -> Result<Walked, Problem> {
    let mut facts = CoreFacts::default();
    let mut producers = Producers::default();
    let mut imports = Vec::new();
    let mut encoding = None;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::Version { encoding: found, .. } => {
                encoding.get_or_insert(found);
                facts.modules += u64::from(found == Encoding::Module);
            }
            Payload::ImportSection(section) if encoding == Some(Encoding::Module) => {
                for import in section.into_imports() {
                    let module = import?.module;
                    if imports.len() < IMPORTS && imports.iter().all(|known| known != module) {
                        imports.push(module.to_owned());
                    }
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    let memory = memory?;
                    let page = 1_u64.checked_shl(memory.page_size_log2.unwrap_or(16)).unwrap_or(u64::MAX);
                    facts.memories += 1;
                    facts.initial_memory = facts.initial_memory.saturating_add(memory.initial.saturating_mul(page));
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    facts.tables += 1;
                    facts.table_elements = facts.table_elements.max(table?.ty.initial);
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    facts.instances += u64::from(matches!(instance?, Instance::Instantiate { .. }));
                }
            }
            Payload::CustomSection(section) if section.name() == "producers" => producers.read(section.data()),
            // A component type is a component of its own, and says who made the bindings.
            Payload::CustomSection(section) if section.name().starts_with(TYPE_SECTION) => {
                producers.read_nested(section.data());
            }
            _ => {}
        }
    }
    producers.settle();
    Ok(Walked { facts, producers, imports })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{ComponentBuilder, MemorySection, MemoryType, Module, TableSection, TableType};

    fn module(memory_pages: &[u64], table_elements: &[u64]) -> Module {
        let mut module = Module::new();
        let mut tables = TableSection::new();
        for minimum in table_elements {
            let element_type = wasm_encoder::RefType::FUNCREF;
            tables.table(TableType { element_type, minimum: *minimum, maximum: None, table64: false, shared: false });
        }
        module.section(&tables);
        let mut memories = MemorySection::new();
        for minimum in memory_pages {
            memories.memory(MemoryType {
                minimum: *minimum,
                maximum: None,
                memory64: false,
                shared: false,
                page_size_log2: None,
            });
        }
        module.section(&memories);
        module
    }

    #[test]
    fn what_is_nested_counts_too() {
        // R-HOST-04
        let mut inner = ComponentBuilder::default();
        let index = inner.core_module(None, &module(&[1, 2], &[7]));
        inner.core_instantiate::<[_; 0]>(None, index, []);
        let mut outer = ComponentBuilder::default();
        outer.component_raw(None, &inner.finish());
        outer.core_module(None, &module(&[4], &[3, 5]));
        let facts = walk(&outer.finish()).unwrap().facts;
        let expected = CoreFacts {
            modules: 2,
            instances: 1,
            memories: 3,
            initial_memory: 7 * 65_536,
            tables: 3,
            table_elements: 7,
        };
        assert_eq!(facts, expected);
        let allowed = |module: Module| StoreLimits::HOST.allow(&walk(&module.finish()).unwrap().facts);
        assert!(allowed(module(&[0; 16], &[100_000; 64])));
        assert!(!allowed(module(&[0; 17], &[])));
        assert!(!allowed(module(&[], &[0; 65])));
        assert!(!allowed(module(&[], &[100_001])));
    }

    #[test]
    fn sums_do_not_run_over() {
        // Nobody validates it here: a file may claim what no memory can have.
        let claimed = 1 << 48;
        assert_eq!(walk(&module(&[claimed; 3], &[]).finish()).unwrap().facts.initial_memory, u64::MAX);
        let most = u64::from(u32::MAX);
        let facts = walk(&module(&[most, most], &[most]).finish()).unwrap().facts;
        assert_eq!((facts.initial_memory, facts.table_elements), (2 * most * 65_536, most));
    }
}
