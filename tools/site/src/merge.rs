//! Parts that become one.
//!
//! The tool that cuts makes a part for each set of areas that share code, hundreds of them, most with a function or two.
//! A browser takes each for a program of its own. Here those come together that are needed together, or nearly: a few bytes
//! too many cost less than one part more.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, ensure};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, FunctionSection, ImportSection, Module,
    RawSection, SectionId,
};
use wasmparser::{Parser, Payload, TypeRef};

/// What two parts may add to the files of areas that have no use for one of them, in bytes before compression. A part of
/// its own costs as much: what every part begins with, its line in the table, and a third of a millisecond.
const ADDED_MAX: usize = 4_096;

/// Parts, or what became of them, with the areas that need them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// A bit for each area.
    pub(crate) areas: u64,
    /// Bytes before compression.
    pub(crate) size: usize,
    /// What they are.
    pub(crate) parts: Vec<Vec<u8>>,
}

impl Group {
    /// What the areas of one get of the other without having a use for it.
    fn added_by(&self, other: &Self) -> usize {
        let too_many =
            |size: usize, areas: u64| size * usize::try_from(areas.count_ones()).unwrap_or(usize::MAX);
        too_many(self.size, other.areas & !self.areas) + too_many(other.size, self.areas & !other.areas)
    }
}

/// Puts together what adds least, and goes on until every two left would add too much.
pub(crate) fn grouped(mut groups: Vec<Group>) -> Vec<Group> {
    loop {
        let pairs = (0..groups.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let cheapest = pairs.map(|(one, other)| (groups[one].added_by(&groups[other]), one, other)).min();
        let Some((_, one, other)) = cheapest.filter(|(added, ..)| *added <= ADDED_MAX) else { return groups };
        // The other stands before it: its place stays what it was.
        let joined = groups.remove(one);
        let group = &mut groups[other];
        group.areas |= joined.areas;
        group.size += joined.size;
        group.parts.extend(joined.parts);
    }
}

/// Writes several parts as one, which does what they do when they are linked one after the other.
///
/// # Errors
/// Where they are not what the tool that cuts makes: the same types, and nothing of others but one memory, one table and
/// variables.
pub(crate) fn merged(parts: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut whole = Whole::default();
    for part in parts {
        whole.add(part)?;
    }
    Ok(whole.finish())
}

/// What was put together so far.
#[derive(Default)]
struct Whole {
    types: Option<Vec<u8>>,
    imports: ImportSection,
    /// What the imports are by their names, to each kind by its place among its kind.
    imported: BTreeMap<(String, String), (Kind, u32)>,
    functions: FunctionSection,
    elements: ElementSection,
    code: CodeSection,
    data: DataSection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Memory,
    Table,
    Global,
}

/// Where the numbers of a part go in the whole.
struct Moved {
    functions: u32,
    elements: u32,
    data: u32,
    globals: Vec<u32>,
}

impl Reencode for Moved {
    type Error = &'static str;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error<Self::Error>> {
        Ok(self.functions + function)
    }

    fn element_index(&mut self, element: u32) -> Result<u32, reencode::Error<Self::Error>> {
        Ok(self.elements + element)
    }

    fn data_index(&mut self, data: u32) -> Result<u32, reencode::Error<Self::Error>> {
        Ok(self.data + data)
    }

    fn global_index(&mut self, global: u32) -> Result<u32, reencode::Error<Self::Error>> {
        let place = usize::try_from(global).ok().and_then(|global| self.globals.get(global));
        place.copied().ok_or(reencode::Error::UserError("a part names a variable of its own"))
    }
}

impl Whole {
    fn add(&mut self, part: &[u8]) -> Result<()> {
        let mut moved = Moved {
            functions: self.functions.len(),
            elements: self.elements.len(),
            data: self.data.len(),
            globals: Vec::new(),
        };
        let told = |error: reencode::Error<&'static str>| anyhow!("{error}");
        for payload in Parser::new(0).parse_all(part) {
            match payload? {
                Payload::TypeSection(section) => {
                    let range = section.range();
                    let types = &part[usize::try_from(range.start)?..usize::try_from(range.end)?];
                    ensure!(
                        self.types.get_or_insert_with(|| types.to_vec()) == types,
                        "parts have types of their own"
                    );
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        let kind = match import.ty {
                            TypeRef::Memory(_) => Kind::Memory,
                            TypeRef::Table(_) => Kind::Table,
                            TypeRef::Global(_) => Kind::Global,
                            other => anyhow::bail!("a part takes {other:?} from others"),
                        };
                        let place = self.import(&mut moved, &import, kind)?;
                        match kind {
                            Kind::Global => moved.globals.push(place),
                            _ => ensure!(place == 0, "parts share more than one {kind:?}"),
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    moved.parse_function_section(&mut self.functions, section).map_err(told)?;
                }
                Payload::ElementSection(section) => {
                    moved.parse_element_section(&mut self.elements, section).map_err(told)?;
                }
                Payload::CodeSectionEntry(body) => {
                    moved.parse_function_body(&mut self.code, body).map_err(told)?;
                }
                Payload::DataSection(section) => {
                    moved.parse_data_section(&mut self.data, section).map_err(told)?;
                }
                Payload::ExportSection(section) => {
                    ensure!(section.count() == 0, "a part gives others something");
                }
                Payload::Version { .. }
                | Payload::DataCountSection { .. }
                | Payload::CodeSectionStart { .. }
                | Payload::End(_) => {}
                other => anyhow::bail!("a part has more than others: {other:?}"),
            }
        }
        Ok(())
    }

    /// The place of what a part imports among all of its kind.
    fn import(&mut self, moved: &mut Moved, import: &wasmparser::Import, kind: Kind) -> Result<u32> {
        let name = (import.module.to_owned(), import.name.to_owned());
        if let Some((known, place)) = self.imported.get(&name) {
            ensure!(*known == kind, "{name:?} is two things");
            return Ok(*place);
        }
        let place = self.imported.values().filter(|(other, _)| *other == kind).count();
        let place = u32::try_from(place).context("too many imports")?;
        let ty = moved.entity_type(import.ty).map_err(|error| anyhow!("{error}"))?;
        self.imports.import(import.module, import.name, ty);
        self.imported.insert(name, (kind, place));
        Ok(place)
    }

    fn finish(self) -> Vec<u8> {
        let mut module = Module::new();
        let types = self.types.unwrap_or_else(|| vec![0]);
        module
            .section(&RawSection { id: SectionId::Type.into(), data: &types })
            .section(&self.imports)
            .section(&self.functions)
            .section(&self.elements)
            .section(&DataCountSection { count: self.data.len() })
            .section(&self.code)
            .section(&self.data);
        module.finish()
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ConstExpr, Elements, EntityType, ExportKind, ExportSection, Function, GlobalType, Instruction,
        MemoryType, TypeSection, ValType,
    };

    use super::*;

    const MEMORY: EntityType = EntityType::Memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    const GLOBAL: EntityType =
        EntityType::Global(GlobalType { val_type: ValType::I32, mutable: true, shared: false });

    /// A part of functions that call one of them and read a variable, one in the table, and a text in memory.
    fn part(
        imports: &[(&str, EntityType)],
        functions: &[(u32, u32)],
        in_table: &[u32],
        texts: &[&str],
    ) -> Module {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut shared = ImportSection::new();
        for (name, ty) in imports {
            shared.import("others", name, *ty);
        }
        let (mut kinds, mut code) = (FunctionSection::new(), CodeSection::new());
        for (calls, reads) in functions {
            kinds.function(0);
            let mut body = Function::new([(1, ValType::I64)]);
            body.instruction(&Instruction::Call(*calls));
            body.instruction(&Instruction::GlobalGet(*reads));
            body.instruction(&Instruction::Drop);
            body.instruction(&Instruction::End);
            code.function(&body);
        }
        let (mut elements, mut data) = (ElementSection::new(), DataSection::new());
        for function in in_table {
            elements.active(None, &ConstExpr::i32_const(9), Elements::Functions([*function][..].into()));
        }
        for text in texts {
            data.active(0, &ConstExpr::i32_const(4_711), text.bytes());
        }
        let mut part = Module::new();
        part.section(&types).section(&shared).section(&kinds).section(&elements);
        part.section(&DataCountSection { count: data.len() }).section(&code).section(&data);
        part
    }

    #[test]
    fn parts_become_one_with_what_they_share_in_it_once() {
        let one =
            part(&[("memory", MEMORY), ("a", GLOBAL), ("b", GLOBAL)], &[(1, 0), (0, 1)], &[1], &["one"]);
        let other =
            part(&[("b", GLOBAL), ("memory", MEMORY), ("c", GLOBAL)], &[(0, 0), (0, 1)], &[0, 1], &["other"]);

        let shared = [("memory", MEMORY), ("a", GLOBAL), ("b", GLOBAL), ("c", GLOBAL)];
        let whole = part(&shared, &[(1, 0), (0, 1), (2, 1), (2, 2)], &[1, 2, 3], &["one", "other"]);
        assert_eq!(merged(&[one.finish(), other.finish()]).unwrap(), whole.finish());
    }

    #[test]
    fn one_part_stays_what_it_is() {
        let one = part(&[("memory", MEMORY), ("a", GLOBAL)], &[(0, 0)], &[0], &["one"]).finish();
        assert_eq!(merged(std::slice::from_ref(&one)).unwrap(), one);
    }

    #[test]
    fn what_the_tool_that_cuts_does_not_make_is_refused() {
        let usual = part(&[("memory", MEMORY)], &[], &[], &[]).finish();
        let two_memories = part(&[("memory", MEMORY), ("more", MEMORY)], &[], &[], &[]);
        let of_others = part(&[("function", EntityType::Function(0))], &[], &[], &[]);
        let one_name_twice = part(&[("memory", GLOBAL)], &[], &[], &[]);
        let mut exports = ExportSection::new();
        exports.export("given", ExportKind::Memory, 0);
        let mut gives = Module::new();
        gives.section(&exports);
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32], []);
        let mut own_types = Module::new();
        own_types.section(&types);
        for (odd, why) in [
            (two_memories, "more than one"),
            (of_others, "takes"),
            (one_name_twice, "two things"),
            (gives, "gives"),
            (own_types, "types of their own"),
        ] {
            let refused = merged(&[usual.clone(), odd.finish()]).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }

    fn group(areas: u64, size: usize, name: &str) -> Group {
        Group { areas, size, parts: vec![name.into()] }
    }

    #[test]
    fn what_is_needed_together_comes_together_and_a_little_more() {
        let small = ADDED_MAX / 4;
        let alone = vec![
            group(0b001, 100_000, "large"),
            group(0b001, 90_000, "of the same area"),
            group(0b010, 80_000, "of another"),
            group(0b011, small, "small, of both"),
            group(0b111, 70_000, "of all"),
        ];
        let together = grouped(alone);
        let names: Vec<_> =
            together.iter().map(|group| (group.areas, group.parts.join(&b", "[..]))).collect();
        let expected =
            [(0b001, "large, of the same area"), (0b010, "of another"), (0b111, "small, of both, of all")];
        assert_eq!(names, expected.map(|(areas, parts)| (areas, parts.as_bytes().to_owned())));
        assert_eq!(together[0].size, 190_000);
    }
}
