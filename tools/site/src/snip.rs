//! The compiled library without functions that this program never calls.
//!
//! Leptos keeps the functions of each kind of view in a record of pointers, so the linker takes all of them for needed. What is
//! known better loses its body here; what nothing else uses is then left out by the tool that cuts the library.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Result, ensure};
use wasm_encoder::{CustomSection, Encode, Module, RawSection};
use wasmparser::{
    KnownCustom, Name, Parser, Payload, RelocAddendKind, RelocSectionReader, RelocationEntry, TypeRef,
};

/// Functions that are never called, by how their names end.
///
/// The compiler makes one of functions that are alike and keeps the name of either. So only such are here as nothing else is
/// like: those that begin what is never done. What they call goes with them, unless something else calls it as well.
const NEVER_CALLED: [&str; 3] = [
    // A page is taken over in one go.
    "::into_any::hydrate_async",
    // Only a server lists addresses.
    "::into_any_nested_route::generate_routes",
    // What a panic would say of an error of jiff: a tenth of an area that reads dates. The page says first that it has stopped.
    "<jiff::error::Error as core::fmt::Debug>::fmt",
];

/// What is shorter, in bytes, is left: it could be like anything.
const SHORTEST: usize = 64;
/// The instruction that fails.
const UNREACHABLE: u8 = 0x00;

/// Takes the bodies of such functions out of a library that was linked with `--emit-relocs`.
///
/// # Errors
/// Where a function of those names is not there any more, or nothing says who calls whom.
pub(crate) fn snipped(library: &[u8]) -> Result<Vec<u8>> {
    let code = Code::read(library)?;
    let bodies = code.never_called()?;
    let mut filled = library.to_vec();
    for body in &bodies {
        filled[body.clone()].fill(UNREACHABLE);
    }
    let mut module = Module::new();
    let mut relocations = 0;
    for payload in Parser::new(0).parse_all(library) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        if let Some(all) = code.relocations(&payload) {
            let data = code.without(&bodies, &all)?.into();
            module.section(&CustomSection { name: "reloc.CODE".into(), data });
            relocations += 1;
        } else {
            module.section(&RawSection { id, data: &filled[places(range)?] });
        }
    }
    ensure!(relocations == 1, "the library does not say who calls whom: it was linked without --emit-relocs");
    Ok(module.finish())
}

/// Where something stands in the library, in bytes from its beginning.
fn places(range: Range<u64>) -> Result<Range<usize>> {
    Ok(usize::try_from(range.start)?..usize::try_from(range.end)?)
}

/// The functions of a library.
#[derive(Default)]
struct Code<'a> {
    /// Which of its sections they are.
    section: u32,
    /// Where that begins.
    start: usize,
    /// How many functions it takes from others, which are counted first.
    imported: u32,
    /// What each consists of, without what declares its variables and what ends it.
    bodies: Vec<Range<usize>>,
    names: BTreeMap<u32, &'a str>,
}

impl<'a> Code<'a> {
    fn read(library: &'a [u8]) -> Result<Self> {
        let mut code = Self::default();
        let mut sections = 0;
        for payload in Parser::new(0).parse_all(library) {
            let payload = payload?;
            match &payload {
                Payload::ImportSection(imports) => {
                    for import in imports.clone().into_imports() {
                        code.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::CodeSectionStart { range, .. } => {
                    code.section = sections;
                    code.start = usize::try_from(range.start)?;
                }
                Payload::CodeSectionEntry(body) => {
                    let first = body.get_operators_reader()?.original_position();
                    code.bodies.push(places(first..body.range().end - 1)?);
                }
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(names) = section.as_known() {
                        code.name(names)?;
                    }
                }
                _ => {}
            }
            sections += u32::from(payload.as_section().is_some());
        }
        Ok(code)
    }

    fn name(&mut self, names: wasmparser::NameSectionReader<'a>) -> Result<()> {
        for subsection in names {
            if let Name::Function(functions) = subsection? {
                for function in functions {
                    let function = function?;
                    self.names.insert(function.index, function.name);
                }
            }
        }
        Ok(())
    }

    /// The bodies of the functions that are never called, in their order.
    fn never_called(&self) -> Result<Vec<Range<usize>>> {
        let mut left = NEVER_CALLED.to_vec();
        let mut bodies = Vec::new();
        for (function, body) in (self.imported..).zip(&self.bodies) {
            let Some(name) = self.names.get(&function) else { continue };
            let name = format!("{:#}", rustc_demangle::demangle(name));
            if NEVER_CALLED.iter().any(|end| name.ends_with(end)) && body.len() >= SHORTEST {
                left.retain(|end| !name.ends_with(end));
                bodies.push(body.clone());
            }
        }
        ensure!(
            left.is_empty(),
            "no function is named {left:?} any more: see `NEVER_CALLED` in tools/site/src/snip.rs"
        );
        Ok(bodies)
    }

    /// What a section says of the places in these functions that name others, if it is that section.
    fn relocations<'b>(&self, section: &Payload<'b>) -> Option<RelocSectionReader<'b>> {
        let Payload::CustomSection(section) = section else { return None };
        let KnownCustom::Reloc(relocations) = section.as_known() else { return None };
        (relocations.section_index() == self.section).then_some(relocations)
    }

    /// The same section without what it says of some bodies.
    fn without(&self, bodies: &[Range<usize>], relocations: &RelocSectionReader) -> Result<Vec<u8>> {
        let mut kept = Vec::new();
        for entry in relocations.entries() {
            let entry = entry?;
            let place = self.start + usize::try_from(entry.offset)?;
            let next = bodies.partition_point(|body| body.end <= place);
            if !bodies.get(next).is_some_and(|body| body.contains(&place)) {
                kept.push(entry);
            }
        }
        let mut section = Vec::new();
        self.section.encode(&mut section);
        kept.len().encode(&mut section);
        kept.iter().for_each(|entry| write(entry, &mut section));
        Ok(section)
    }
}

/// As the conventions for tools have it: <https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md>.
fn write(entry: &RelocationEntry, section: &mut Vec<u8>) {
    section.push(entry.ty as u8);
    entry.offset.encode(section);
    entry.index.encode(section);
    if entry.ty.addend_kind() != RelocAddendKind::None {
        entry.addend.encode(section);
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{CodeSection, Function, FunctionSection, NameMap, NameSection, TypeSection};
    use wasmparser::RelocationType;

    use super::*;

    const CALLED: &str = "<leptos::view as leptos::IntoAny>::into_any::build";
    const BEGINS: &str = "<leptos::view as leptos::IntoAny>::into_any::hydrate_async";
    /// What that calls, or what is like it.
    const GOES_ON: &str = "<leptos::view as leptos::IntoAny>::into_any::hydrate_async::{{closure}}";
    const DEBUG: &str = "<jiff::error::Error as core::fmt::Debug>::fmt";
    const ROUTES: &str = "_ZN6router21into_any_nested_route15generate_routes17h0123456789abcdefE";
    const CALL: u8 = 0x10;
    const NOP: u8 = 0x01;

    /// A function of that many bytes: it calls another, and goes on doing nothing.
    fn calling(size: usize) -> Vec<u8> {
        let mut body = vec![NOP; size];
        body[..2].copy_from_slice(&[CALL, 0]);
        body
    }

    fn failing(size: usize) -> Vec<u8> {
        vec![UNREACHABLE; size]
    }

    /// A library of functions, and which of them it says to call another, if it says so of any.
    fn library(functions: &[(&str, Vec<u8>)], calling: Option<&[usize]>) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let (mut kinds, mut code, mut names) = (FunctionSection::new(), CodeSection::new(), NameMap::new());
        // Behind their count; each has a size of one byte, no variables, and first of all the call.
        let (mut offsets, mut end) = (Vec::new(), 1);
        for (number, (name, body)) in (0..).zip(functions) {
            kinds.function(0);
            code.function(Function::new([]).raw(body.iter().copied()).raw([0x0b]));
            names.append(number, name);
            offsets.push(u32::try_from(end + 3).unwrap());
            end += body.len() + 3;
        }
        let mut named = NameSection::new();
        named.functions(&names);
        let mut library = Module::new();
        library.section(&types).section(&kinds).section(&code).section(&named);
        if let Some(calling) = calling {
            let mut data = Vec::new();
            // The section of the functions comes behind types and kinds.
            2_u32.encode(&mut data);
            calling.len().encode(&mut data);
            for number in calling {
                let (ty, offset) = (RelocationType::FunctionIndexLeb, offsets[*number]);
                write(&RelocationEntry { ty, offset, index: 7, addend: 0 }, &mut data);
            }
            library.section(&CustomSection { name: "reloc.CODE".into(), data: data.into() });
        }
        library.finish()
    }

    #[test]
    fn what_is_never_called_has_no_body_and_calls_nothing() {
        let before = [CALLED, BEGINS, CALLED, GOES_ON, DEBUG, ROUTES].map(|name| (name, calling(64)));
        let mut after = before.clone();
        for (name, body) in &mut after {
            if [BEGINS, DEBUG, ROUTES].contains(name) {
                *body = failing(64);
            }
        }
        let snipped = snipped(&library(&before, Some(&[0, 1, 2, 3, 4, 5]))).unwrap();
        assert_eq!(snipped, library(&after, Some(&[0, 2, 3])));
        wasmparser::validate(&snipped).unwrap();
    }

    #[test]
    fn what_is_short_stays() {
        let before =
            [(BEGINS, calling(64)), (BEGINS, calling(63)), (DEBUG, calling(64)), (ROUTES, calling(64))];
        let mut after = before.clone().map(|(name, _)| (name, failing(64)));
        after[1].1 = calling(63);
        assert_eq!(snipped(&library(&before, Some(&[0, 1]))).unwrap(), library(&after, Some(&[1])));
    }

    #[test]
    fn a_name_that_is_gone_is_told() {
        let all_but_one = [BEGINS, DEBUG].map(|name| (name, calling(64)));
        let why = snipped(&library(&all_but_one, Some(&[]))).unwrap_err().to_string();
        assert!(why.contains("[\"::into_any_nested_route::generate_routes\"]"), "{why}");
    }

    #[test]
    fn a_library_has_to_say_who_calls_whom() {
        let all = [BEGINS, DEBUG, ROUTES].map(|name| (name, calling(64)));
        let why = snipped(&library(&all, None)).unwrap_err().to_string();
        assert!(why.contains("--emit-relocs"), "{why}");
    }
}
