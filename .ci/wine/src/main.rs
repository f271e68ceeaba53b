//! `git` for a Windows program under wine, which cannot wait for a program of the host: asks `host_git.py` to run it.
//!
//! The request is three texts, each after its length: the directory, the arguments and the environment, with U+001E between
//! items. Then stdin follows to its end. The answer is frames: a kind (1 stdout, 2 stderr, 0 the exit code), a length, bytes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

fn add_text(request: &mut Vec<u8>, text: &str) {
    request.extend((text.len() as u32).to_be_bytes());
    request.extend(text.as_bytes());
}

fn main() -> std::io::Result<()> {
    let mut stream = TcpStream::connect("127.0.0.1:18765")?;
    stream.set_nodelay(true)?;
    let list = |items: Vec<String>| items.join("\u{1e}");
    let mut request = Vec::new();
    add_text(&mut request, &std::env::current_dir()?.to_string_lossy());
    add_text(
        &mut request,
        &list(
            std::env::args_os()
                .skip(1)
                .map(|a| a.to_string_lossy().into_owned())
                .collect(),
        ),
    );
    let variable = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        format!("{}={}", name.to_string_lossy(), value.to_string_lossy())
    };
    add_text(
        &mut request,
        &list(std::env::vars_os().map(variable).collect()),
    );
    stream.write_all(&request)?;

    let mut stdin = stream.try_clone()?;
    std::thread::spawn(move || {
        let mut bytes = vec![0; 65_536];
        while let Ok(count) = std::io::stdin().read(&mut bytes) {
            if count == 0 || stdin.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = stdin.shutdown(Shutdown::Write);
    });

    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let mut bytes = vec![0; u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize];
        stream.read_exact(&mut bytes)?;
        let _ = match head[0] {
            0 => std::process::exit(i32::from(bytes[0])),
            1 => out.write_all(&bytes).and_then(|()| out.flush()),
            _ => err.write_all(&bytes),
        };
    }
}
