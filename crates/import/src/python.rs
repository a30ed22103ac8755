//! What pickled values begin with, told without running what unpickling runs.

/// Values that are read of one pickle: what is asked for stands among the first.
const VALUES_MAX: usize = 8;

/// A value at the beginning of a pickle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Number(i64),
    None,
}

impl Value {
    pub(super) fn text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// The values that a pickle of protocol 2 or later begins with, in their order and without what holds them, up to the first
/// that takes more to read. `None` when it is no such pickle.
pub(super) fn first_values(pickle: &[u8]) -> Option<Vec<Value>> {
    let mut rest = pickle.strip_prefix(&[0x80])?.get(1..)?;
    let mut values = Vec::new();
    while values.len() < VALUES_MAX {
        let Some((&opcode, after)) = rest.split_first() else { break };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0_i64, |sum, &byte| sum << 8 | i64::from(byte));
        // How many bytes of the opcode are no text, and how many tell its length.
        let (skips, length) = match opcode {
            b'(' | b'}' | b']' | 0x94 | b'N' => (0, 0),
            b'q' | b'K' => (1, 0),
            b'M' => (2, 0),
            b'r' | b'J' => (4, 0),
            0x95 => (8, 0),
            0x8c => (1, 1),
            b'X' => (4, 4),
            _ => break,
        };
        let Some((head, mut after)) = after.split_at_checked(skips) else { break };
        match opcode {
            b'N' => values.push(Value::None),
            b'K' | b'M' => values.push(Value::Number(number(head))),
            b'J' => {
                let Ok(bytes) = head.try_into() else { break };
                values.push(Value::Number(i32::from_le_bytes(bytes).into()));
            }
            _ if length > 0 => {
                let Some(text) = usize::try_from(number(head)).ok().and_then(|most| after.get(..most)) else {
                    break;
                };
                after = after.get(text.len()..).unwrap_or_default();
                let Ok(text) = std::str::from_utf8(text) else { break };
                values.push(Value::Text(text.to_owned()));
            }
            _ => {}
        }
        rest = after;
    }
    Some(values)
}

/// The same of a map that msgpack has written.
pub(super) fn first_values_of_msgpack(packed: &[u8]) -> Option<Vec<Value>> {
    let (&first, mut rest) = packed.split_first()?;
    let (mut values, is_map) = (Vec::new(), matches!(first, 0x80..=0x8f));
    while is_map && values.len() < VALUES_MAX {
        let Some((&head, after)) = rest.split_first() else { break };
        let (length, after) = match (head, after.split_first()) {
            (0xc0, _) => {
                values.push(Value::None);
                rest = after;
                continue;
            }
            (0..=0x7f, _) => {
                values.push(Value::Number(head.into()));
                rest = after;
                continue;
            }
            (0xa0..=0xbf, _) => (usize::from(head & 0x1f), after),
            (0xd9, Some((&length, after))) => (length.into(), after),
            _ => break,
        };
        let Some(Ok(text)) = after.get(..length).map(std::str::from_utf8) else { break };
        values.push(Value::Text(text.to_owned()));
        rest = after.get(length..).unwrap_or_default();
    }
    is_map.then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_values_are_read_in_every_protocol() {
        // pickle.dumps(("a.b", None, (1,), {}), protocol)
        let five = b"\x80\x05\x95\x14\x00\x00\x00\x00\x00\x00\x00(\x8c\x03a.b\x94NK\x01\x85\x94}\x94t\x94.";
        let two = b"\x80\x02(X\x03\x00\x00\x00a.bq\x00NK\x01\x85q\x01}q\x02tq\x03.";
        let values = vec![Value::Text("a.b".to_owned()), Value::None, Value::Number(1)];
        assert_eq!(first_values(five), Some(values.clone()));
        assert_eq!(first_values(two), Some(values));
        assert_eq!(first_values(b"\x80\x02J\xff\xff\xff\xff."), Some(vec![Value::Number(-1)]));
        assert_eq!(first_values(br#"["a.b"]"#), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_some_end(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let pickle = [&[0x80, 4][..], &bytes].concat();
            prop_assert!(first_values(&pickle).unwrap().len() <= VALUES_MAX);
        }
    }
}
