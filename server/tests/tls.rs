//! The program with a certificate of its own: what it refuses, and that a new certificate disturbs nobody.

#[path = "../src/tls/made.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod made;
use crate::support::{Running, TIMEOUT, directory, eventually, exchange, run, signal};
use made::Authority;
use rustls::pki_types::ServerName;
use rustls::version::TLS13;
use rustls::{ClientConnection, StreamOwned};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

type Line = StreamOwned<ClientConnection, TcpStream>;

fn connect(authority: &Authority, address: SocketAddr) -> Line {
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(authority.client(&[&TLS13], &[]), name).unwrap();
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    StreamOwned::new(client, stream)
}

/// One request on a line that stays open; the status.
fn is_well(line: &mut Line) -> bool {
    line.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = [0; 12];
    line.read_exact(&mut answer).unwrap();
    let mut rest = Vec::new();
    while !rest.ends_with(b"\r\n\r\nok\n") {
        let mut byte = [0];
        line.read_exact(&mut byte).unwrap();
        rest.push(byte[0]);
    }
    answer == *b"HTTP/1.1 200"
}

/// The certificate that a new connection is shown.
fn shown(authority: &Authority, address: SocketAddr) -> Vec<u8> {
    let mut line = connect(authority, address);
    assert!(is_well(&mut line));
    line.conn.peer_certificates().unwrap()[0].to_vec()
}

#[test]
fn a_new_certificate_is_taken_while_the_program_runs_and_lines_go_on() {
    let (authority, directory) = (Authority::new(), directory());
    let ((cert, key), next) = (authority.sign("one", 2), authority.sign("two", 3));
    let files = ["--tls-cert-file", cert.to_str().unwrap(), "--tls-key-file", key.to_str().unwrap()];
    let running = Running::start(&directory.path().join("data"), &files);
    let mut old = connect(&authority, running.address);
    assert!(is_well(&mut old));
    let first = shown(&authority, running.address);
    let (status, answer) = exchange(running.address, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert!(status == 400 && answer.contains("https://"), "{answer}");

    // Half of it is not taken, and is said.
    fs::copy(&next.0, &cert).unwrap();
    signal(running.pid(), "HUP");
    eventually("a complaint", || {
        running.log.try_iter().find(|line| line.contains("is not the key of the first certificate"))
    });
    assert_eq!(shown(&authority, running.address), first);
    fs::copy(&next.1, &key).unwrap();
    signal(running.pid(), "HUP");

    eventually("the new certificate", || (shown(&authority, running.address) != first).then_some(()));
    assert!(is_well(&mut old), "a line goes on as it began");
    assert!(running.terminate().success());
}

#[test]
fn without_a_good_certificate_it_does_not_start_and_says_why() {
    let (authority, directory) = (Authority::new(), directory());
    let (one, two) = (authority.sign("one", 2), authority.sign("two", 2));
    let (cert, key, other) = (one.0.to_str().unwrap(), one.1.to_str().unwrap(), two.1.to_str().unwrap());
    for (arguments, expected) in [
        (&["--tls-cert-file", cert, "--tls-key-file", other][..], "is not the key of"),
        (&["--tls-cert-file", cert], "needs its key"),
        (&["--tls-key-file", key], "needs its certificate"),
        (&["--tls-cert-file", "nowhere", "--tls-key-file", key], "nowhere cannot be read"),
        (&["--listen", "0.0.0.0:0"], "there is no TLS"),
        (&["--listen", "0.0.0.0:0", "--login", "off", "--insecure-plain-http"], "may do everything"),
        (
            &["--listen", "0.0.0.0:0", "--login", "off", "--tls-cert-file", cert, "--tls-key-file", key],
            "may do everything",
        ),
    ] {
        let (status, said) = run(&[&["serve"][..], arguments].concat(), directory.path());
        assert!(!status.success() && said.contains(expected), "{arguments:?}: {said}");
    }
    for arguments in [
        &["demo", "--tls-cert-file", cert, "--tls-key-file", key][..],
        &["demo", "--listen", "0.0.0.0:0", "--insecure-plain-http"],
    ] {
        let (status, said) = run(arguments, directory.path());
        assert!(!status.success() && said.contains("stays on this machine"), "{arguments:?}: {said}");
    }
}
