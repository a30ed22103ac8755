//! A part as the browser gets it.
//!
//! The tool that cuts gives each part a function for every function of another that it calls: it hands its arguments on,
//! through the table that all share. These are half of the functions of an area, and a browser compiles each at its
//! first call, for more than the call costs. Here the calls go through the table themselves.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Instruction, Module};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, ElementItems, ExternalKind, FunctionBody, FunctionSectionReader,
    Operator, Parser, Payload, TypeRef,
};

/// What a shim calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Callee {
    /// Its place in the table.
    place: i32,
    /// Its type.
    ty: u32,
    /// The table.
    table: u32,
}

impl Callee {
    /// What a function calls, if it does nothing but hand all of its arguments on.
    fn of(body: &FunctionBody, parameters: usize) -> Result<Option<Self>> {
        if body.get_locals_reader()?.get_count() > 0 {
            return Ok(None);
        }
        let mut operators = body.get_operators_reader()?;
        for argument in 0..parameters {
            if !matches!(operators.read()?, Operator::LocalGet { local_index } if usize::try_from(local_index)? == argument)
            {
                return Ok(None);
            }
        }
        let Operator::I32Const { value: place } = operators.read()? else { return Ok(None) };
        let Operator::CallIndirect { type_index: ty, table_index: table } = operators.read()? else {
            return Ok(None);
        };
        let ends = matches!(operators.read()?, Operator::End) && operators.eof();
        Ok(ends.then_some(Self { place, ty, table }))
    }
}

/// Writes a part without its shims and without custom sections, which are half of it: the names of its functions, for
/// whoever debugs. Numbers are written as short as they are; the linker leaves room for any.
pub(crate) fn inlined(part: &[u8]) -> Result<Vec<u8>> {
    let mut found = Found::in_part(part)?;
    let mut module = Module::new();
    found.parse_core_module(&mut module, Parser::new(0), part).map_err(|error| anyhow!("{error}"))?;
    Ok(module.finish())
}

/// The functions of a part.
#[derive(Default)]
struct Found {
    /// How many it takes from others, which come first.
    imported: u32,
    shims: BTreeMap<u32, Callee>,
}

impl Found {
    fn in_part(part: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        let (mut parameters, mut types) = (Vec::new(), Vec::new());
        let mut bodies = Vec::new();
        let mut named = BTreeSet::new();
        for payload in Parser::new(0).parse_all(part) {
            match payload? {
                Payload::TypeSection(section) => {
                    for ty in section.into_iter_err_on_gc_types() {
                        parameters.push(ty?.params().len());
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        found.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => {
                    for ty in section {
                        types.push(ty?);
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        named.extend((export.kind == ExternalKind::Func).then_some(export.index));
                    }
                }
                Payload::StartSection { func, .. } => {
                    named.insert(func);
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        match element?.items {
                            ElementItems::Functions(functions) => {
                                for function in functions {
                                    named.insert(function?);
                                }
                            }
                            ElementItems::Expressions(..) => {
                                return Err(anyhow!("a part fills the table with what it computes"));
                            }
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(body),
                _ => {}
            }
        }
        for ((function, body), ty) in (found.imported..).zip(&bodies).zip(types) {
            let parameters =
                parameters.get(usize::try_from(ty)?).ok_or_else(|| anyhow!("a function of no type"))?;
            if let Some(callee) = Callee::of(body, *parameters)?.filter(|callee| callee.ty == ty) {
                found.shims.insert(function, callee);
            }
            for operator in body.get_operators_reader()? {
                // A call is all that is rewritten.
                if let Operator::RefFunc { function_index } | Operator::ReturnCall { function_index } =
                    operator?
                {
                    named.insert(function_index);
                }
            }
        }
        found.shims.retain(|function, _| !named.contains(function));
        Ok(found)
    }
}

impl Reencode for Found {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Self::Error>> {
        Ok(function - u32::try_from(self.shims.range(..function).count()).unwrap_or_default())
    }

    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: CustomSectionReader,
    ) -> Result<(), Error<Self::Error>> {
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader,
    ) -> Result<(), Error<Self::Error>> {
        for (function, ty) in (self.imported..).zip(section) {
            let ty = ty?;
            if !self.shims.contains_key(&function) {
                functions.function(self.type_index(ty)?);
            }
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader,
    ) -> Result<(), Error<Self::Error>> {
        for (function, body) in (self.imported..).zip(section) {
            let body = body?;
            if !self.shims.contains_key(&function) {
                self.parse_function_body(code, body)?;
            }
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody,
    ) -> Result<(), Error<Self::Error>> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            match operator {
                Operator::Call { function_index } if self.shims.contains_key(&function_index) => {
                    let callee = self.shims[&function_index];
                    function.instruction(&Instruction::I32Const(callee.place));
                    function.instruction(&Instruction::CallIndirect {
                        type_index: self.type_index(callee.ty)?,
                        table_index: self.table_index(callee.table)?,
                    });
                }
                other => {
                    function.instruction(&self.instruction(other)?);
                }
            }
        }
        code.function(&function);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ConstExpr, CustomSection, ElementSection, Elements, ExportKind, ExportSection, Function,
        ImportSection, RefType, TableType, TypeSection, ValType,
    };

    use super::*;

    /// Of two numbers one.
    const TAKES_TWO: u32 = 0;
    const TAKES_NOTHING: u32 = 1;
    const PLACE: i32 = 4_711;

    fn function(instructions: &[Instruction]) -> Function {
        let mut function = Function::new([]);
        instructions.iter().chain([&Instruction::End]).for_each(|instruction| {
            function.instruction(instruction);
        });
        function
    }

    fn through_the_table(arguments: &[u32], ty: u32) -> Function {
        let hands_on = arguments.iter().copied().map(Instruction::LocalGet);
        let calls =
            [Instruction::I32Const(PLACE), Instruction::CallIndirect { type_index: ty, table_index: 0 }];
        function(&hands_on.chain(calls).collect::<Vec<_>>())
    }

    /// A part that takes a table from others, puts one of its functions there and exports another.
    fn part(functions: &[(u32, Function)], in_table: u32, exported: u32) -> Module {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32, ValType::I32], [ValType::I32]);
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        let table = TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: 1,
            maximum: None,
            shared: false,
        };
        imports.import("others", "table", table);
        let (mut kinds, mut code) = (FunctionSection::new(), CodeSection::new());
        for (ty, body) in functions {
            kinds.function(*ty);
            code.function(body);
        }
        let mut exports = ExportSection::new();
        exports.export("exported", ExportKind::Func, exported);
        let mut elements = ElementSection::new();
        elements.active(Some(0), &ConstExpr::i32_const(9), Elements::Functions([in_table][..].into()));
        let mut part = Module::new();
        part.section(&types)
            .section(&imports)
            .section(&kinds)
            .section(&exports)
            .section(&elements)
            .section(&code);
        part
    }

    fn adds_what_calls(first: Instruction<'static>) -> Function {
        function(&[Instruction::LocalGet(1), Instruction::LocalGet(0), first])
    }

    #[test]
    fn a_call_of_a_shim_goes_through_the_table_and_the_shim_is_gone() {
        let shim = (TAKES_TWO, through_the_table(&[0, 1], TAKES_TWO));
        let nothing = (TAKES_NOTHING, function(&[]));
        let caller = (TAKES_TWO, adds_what_calls(Instruction::Call(1)));
        let before = part(&[nothing.clone(), shim, caller, nothing.clone()], 2, 3);

        let calls = [
            Instruction::LocalGet(1),
            Instruction::LocalGet(0),
            Instruction::I32Const(PLACE),
            Instruction::CallIndirect { type_index: TAKES_TWO, table_index: 0 },
        ];
        let after = part(&[nothing.clone(), (TAKES_TWO, function(&calls)), nothing], 1, 2);
        assert_eq!(inlined(before.as_slice()).unwrap(), after.finish());
    }

    #[test]
    fn what_is_named_otherwise_than_by_calls_stays() {
        let shim = (TAKES_TWO, through_the_table(&[0, 1], TAKES_TWO));
        let caller = (TAKES_TWO, adds_what_calls(Instruction::Call(0)));
        for (in_table, exported) in [(0, 1), (1, 0)] {
            let part = part(&[shim.clone(), caller.clone()], in_table, exported).finish();
            assert_eq!(inlined(&part).unwrap(), part, "{in_table} in the table, {exported} exported");
        }
    }

    #[test]
    fn what_does_more_than_to_hand_its_arguments_on_stays() {
        let caller = (TAKES_TWO, adds_what_calls(Instruction::Call(0)));
        let hands_on = [
            Instruction::LocalGet(0),
            Instruction::LocalGet(1),
            Instruction::I32Const(PLACE),
            Instruction::CallIndirect { type_index: TAKES_TWO, table_index: 0 },
        ];
        let mut with_a_local = Function::new([(1, ValType::I32)]);
        hands_on.iter().chain([&Instruction::End]).for_each(|instruction| {
            with_a_local.instruction(instruction);
        });
        let behind = [&hands_on[..], &[Instruction::I32Eqz]].concat();
        let others = [
            through_the_table(&[1, 0], TAKES_TWO),
            through_the_table(&[0, 1, 0], TAKES_TWO),
            adds_what_calls(Instruction::I32Add),
            function(&behind),
            with_a_local,
        ];
        for other in others {
            let part = part(&[(TAKES_TWO, other), caller.clone()], 1, 1).finish();
            assert_eq!(inlined(&part).unwrap(), part);
        }
    }

    #[test]
    fn custom_sections_go() {
        let nothing = [(TAKES_NOTHING, function(&[]))];
        let mut named = part(&nothing, 0, 0);
        named.section(&CustomSection { name: "name".into(), data: b"what a function is called".into() });
        assert_eq!(inlined(named.as_slice()).unwrap(), part(&nothing, 0, 0).finish());
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(inlined(b"no module").is_err());
    }
}
