//! File handles: what visitors opened is closed behind them, and few are enough.

use crate::support::{Running, TIMEOUT, directory, eventually};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// FdLimit that a process has open.
fn handles(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// A tab that has begun to hear.
fn tab(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    stream
}

/// A tab that has been greeted: all that the program needs to follow what happens is open by then.
fn tab_that_knows(address: SocketAddr) -> TcpStream {
    let mut stream = tab(address);
    let (mut told, mut piece) = (String::new(), [0; 1_024]);
    while !told.contains("event: hello") {
        let length = stream.read(&mut piece).unwrap();
        assert!(length > 0, "the stream ended: {told}");
        told.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
    stream
}

/// A program of the same name that lowers its own limit before it becomes ours.
fn with_few_handles(directory: &Path, most: u32) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let file = directory.join("reprieve-with-few-handles");
    fs::write(&file, format!("#!/bin/sh\nulimit -n {most}\nexec '{}' \"$@\"\n", crate::support::program()))
        .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    file
}

#[test]
fn what_visitors_opened_is_closed_behind_them() {
    let directory = directory();
    let running = Running::start(&directory.path().join("data"), &[]);
    // What is opened once and kept is open from here on.
    assert_eq!(running.get("/").0, 200);
    let tab_of_somebody = tab_that_knows(running.address);
    let with_a_tab = handles(running.pid());
    drop(tab_of_somebody);
    let before = eventually("the tab is noticed to be gone", || {
        let open = handles(running.pid());
        (open < with_a_tab).then_some(open)
    });

    for _ in 0..10 {
        let tabs: Vec<TcpStream> = (0..20).map(|_| tab(running.address)).collect();
        let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(running.address).unwrap()).collect();
        (0..10).for_each(|_| assert_eq!(running.get("/").0, 200));
        assert!(handles(running.pid()) >= before + tabs.len());
        drop((tabs, silent));
    }

    eventually("as few as before are open", || (handles(running.pid()) <= before).then_some(()));
    assert!(running.terminate().success());
}

#[test]
fn few_handles_are_told_of_once_and_shared_by_those_who_speak() {
    const MOST: u32 = 160;
    let directory = directory();
    let data = directory.path().join("data");
    let running = Running::start_as(&with_few_handles(directory.path(), MOST), &data, &[]);
    let told = running.log.recv_timeout(TIMEOUT).unwrap();
    assert!(told.contains("file handles for 48 connections"), "{told}");

    let mut silent = Vec::new();
    for round in 0..4 {
        silent.extend((0..MOST).map(|_| TcpStream::connect(running.address).unwrap()));
        let (status, answer) = running.get("/healthz");
        assert_eq!(status, 200, "round {round}: {answer}");
        assert!(handles(running.pid()) <= usize::try_from(MOST).unwrap());
    }

    drop(silent);
    assert_eq!(running.get("/").0, 200, "it goes on as before");
    let said: Vec<String> =
        running.log.try_iter().filter(|line| line.contains("could not be taken")).collect();
    assert!(said.len() <= 1, "{said:?}");
    assert!(running.terminate().success());
}

#[test]
fn handles_that_run_out_stop_nothing_for_good_and_are_told_of_once() {
    // Fewer than there are places at the least, beside what the program itself needs.
    const MOST: u32 = 24;
    let directory = directory();
    let redis = reprieve::testing::RedisServer::start().unwrap();
    let options = ["--redis", redis.url()];
    let program = with_few_handles(directory.path(), MOST);
    let running = Running::start_as(&program, &directory.path().join("data"), &options);
    let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(running.address).unwrap()).collect();

    let told = eventually("it says so", || {
        running.log.try_iter().find(|line| line.contains("a connection could not be taken"))
    });
    // Ten attempts a second would have been ten lines by then.
    std::thread::sleep(Duration::from_secs(1));
    let more: Vec<String> =
        running.log.try_iter().filter(|line| line.contains("could not be taken")).collect();
    assert!(more.len() <= 2, "{told} and {more:?}");
    drop(silent);

    assert_eq!(running.get("/healthz").0, 200, "it recovers without a restart");
    assert!(running.terminate().success());
}
