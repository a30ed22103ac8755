//! More visitors than places.

use super::{LONG, Served, all_of, eventually, statuses};
use crate::timeouts::Timeouts;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

/// Few, so that the test is small.
const PLACES: usize = 64;

#[tokio::test]
async fn a_flood_of_silent_sockets_crowds_out_its_own_kind_and_nobody_who_speaks() {
    // Given: nobody is cut for being slow while this lasts.
    let timeouts = Timeouts { headers: LONG * 10, body: LONG * 10, ..Timeouts::default() };
    let served = Served::with(timeouts, None, PLACES).await;
    let endless = "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut answered = served.saying(endless).await;
    eventually("it is being answered", || served.endless.load(Ordering::SeqCst) == 1).await;

    // When: five times as many come as there are places, and each says a part of what it wants.
    let mut silent = Vec::new();
    for number in 0..5 * PLACES {
        silent.push(match number % 3 {
            0 => served.connect().await,
            1 => served.saying("GET /canary HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await,
            _ => {
                let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9";
                served.saying(&format!("POST /change HTTP/1.1\r\nHost: localhost\r\n{form}\r\n\r\na")).await
            }
        });
        if number % PLACES == 0 {
            served.is_well().await;
        }
    }

    // Then: the first of them are gone, the last are waited for, and the one that was being answered still is.
    served.is_well().await;
    for stream in &mut silent[..PLACES] {
        let answer = all_of(stream).await.expect("it was crowded out");
        assert!(statuses(&answer).iter().all(|status| *status >= 400), "{answer}");
    }
    let last = silent.last_mut().unwrap();
    assert!(
        timeout(Duration::from_millis(50), last.read(&mut [0; 16])).await.is_err(),
        "there is room for it"
    );
    answered.read_exact(&mut vec![0; 1 << 20]).await.expect("an answer under way goes on");
    assert_eq!((served.endless.load(Ordering::SeqCst), served.canaries()), (1, 0));
    served.stop().await;
}

/// On one thread, which takes all that have come before it comes to serve the first of them: as on a busy machine.
#[tokio::test]
async fn who_was_taken_in_one_go_with_others_can_be_crowded_out_before_anybody_is_served() {
    let timeouts = Timeouts { headers: LONG * 10, ..Timeouts::default() };
    let served = Served::with(timeouts, None, PLACES).await;

    let silent: Vec<TcpStream> =
        (0..3 * PLACES).map(|_| TcpStream::connect(served.address).unwrap()).collect();

    served.is_well().await;
    drop(silent);
    served.stop().await;
}
