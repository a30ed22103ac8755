//! Files for spreadsheets: each part of the input is a shard, in rows of four.

use crate::bounds::parts;
use crate::sheet::Sheet;

/// Shards of a row.
const WIDTH: usize = 4;
/// What begins a formula somewhere, as OWASP and the makers of spreadsheets tell it: not the list of the code.
const FORMULA: &str = "=+-@\t\r\n\0＝＋－＠";

/// A reader of CSV finds the same shards in the same rows, none of them a formula; the one sign that was put in front is all
/// that differs.
pub fn check(data: &[u8]) {
    let shards: Vec<String> = parts(data).map(|shard| String::from_utf8_lossy(shard).into_owned()).collect();
    let mut rows: Vec<Vec<String>> = shards.chunks(WIDTH).map(<[String]>::to_vec).collect();
    for row in &mut rows {
        row.resize(WIDTH, String::new());
    }
    let mut sheet = Sheet::new();
    for row in &rows {
        sheet.row(row).expect("rows of one width");
    }
    let written = sheet.bytes().expect("a sheet in memory");

    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(written.as_slice());
    let read: Vec<Vec<String>> = reader
        .records()
        .map(|record| record.expect("what was written").iter().map(ToOwned::to_owned).collect())
        .collect();
    assert_eq!(read.len(), rows.len(), "{:?}", String::from_utf8_lossy(&written));
    for (shard, original) in read.iter().flatten().zip(rows.iter().flatten()) {
        let is_number = shard.parse::<f64>().is_ok();
        assert!(is_number || !shard.starts_with(|first| FORMULA.contains(first)), "{shard:?} is a formula");
        assert!(
            shard == original || shard.strip_prefix('\'') == Some(original),
            "{original:?} became {shard:?}"
        );
    }
}
