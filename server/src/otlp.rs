//! Spans of requests and jobs, sent to a collector of OpenTelemetry by OTLP over HTTP. The variables of OpenTelemetry say
//! where to and as whom: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER` and their like.

use crate::outgoing::install_crypto;
use anyhow::Context as _;
use http::HeaderMap;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use std::sync::OnceLock;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt as _};
use tracing_subscriber::registry::LookupSpan;

/// What names a collector; without either nothing is sent.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// What names the service; `reprieve` unless it is set.
const SERVICE: &str = "OTEL_SERVICE_NAME";

/// What is to be sent before the program ends.
static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// What takes spans to the collector that the environment names; `None` where it names none.
///
/// # Errors
/// The address does not read.
pub(crate) fn layer<S>() -> anyhow::Result<Option<OpenTelemetryLayer<S, SdkTracer>>>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !ENDPOINTS.iter().any(is_set) {
        return Ok(None);
    }
    let provider = provider(None, (!is_set(&SERVICE)).then_some("reprieve"))?;
    let layer = layer_of(&provider);
    drop(PROVIDER.set(provider));
    Ok(Some(layer))
}

fn provider(endpoint: Option<&str>, service: Option<&'static str>) -> anyhow::Result<SdkTracerProvider> {
    install_crypto();
    let exporter = SpanExporter::builder().with_http();
    let exporter = match endpoint {
        Some(endpoint) => exporter.with_endpoint(endpoint),
        None => exporter,
    };
    let exporter =
        exporter.build().context("spans cannot be sent to the collector that the environment names")?;
    let resource = Resource::builder();
    let resource = match service {
        Some(service) => resource.with_service_name(service),
        None => resource,
    };
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build())
}

fn layer_of<S>(provider: &SdkTracerProvider) -> OpenTelemetryLayer<S, SdkTracer>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    tracing_opentelemetry::layer().with_tracer(provider.tracer("reprieve"))
}

/// Sends what has not been sent yet.
pub(crate) fn end() {
    if let Some(Err(error)) = PROVIDER.get().map(SdkTracerProvider::shutdown) {
        tracing::warn!(%error, "the last spans were not sent: {error}");
    }
}

/// Makes a span a part of the trace that a request belongs to by its `traceparent`.
pub(crate) fn join_trace(span: &Span, headers: &HeaderMap) {
    struct Headers<'a>(&'a HeaderMap);
    impl Extractor for Headers<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(http::HeaderName::as_str).collect()
        }
    }
    // Without a collector no span can have a parent.
    drop(span.set_parent(TraceContextPropagator::new().extract(&Headers(headers))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[test]
    fn a_collector_gets_the_spans_of_a_trace() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let collector = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut request, mut piece) = (Vec::new(), [0; 4_096]);
            // The name of the span is the last of what is looked for.
            while !String::from_utf8_lossy(&request).contains("request") {
                let bytes = stream.read(&mut piece).unwrap();
                assert!(bytes > 0, "it ended");
                request.extend_from_slice(&piece[..bytes]);
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
            request
        });
        let provider = provider(Some(&endpoint), Some("reprieve")).unwrap();
        let mut headers = HeaderMap::new();
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        headers.insert("traceparent", trace.parse().unwrap());

        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer_of(&provider)), || {
            let span = tracing::info_span!("request");
            join_trace(&span, &headers);
            span.in_scope(|| ());
        });
        provider.shutdown().unwrap();

        let request = collector.join().unwrap();
        let text = String::from_utf8_lossy(&request);
        assert!(text.starts_with("POST /v1/traces ") && text.contains("reprieve"), "{text}");
        let trace_id = [0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd];
        assert!(request.windows(8).any(|bytes| bytes == trace_id), "it is of the trace of the request");
    }
}
