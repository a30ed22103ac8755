//! Files as they go over the wire.

use std::io::Write as _;

use anyhow::Result;

pub(crate) fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    // Quality 11 costs three seconds once and a tenth of the download each time.
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut compressed = Vec::with_capacity(content.len() / 3);
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

pub(crate) fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}
