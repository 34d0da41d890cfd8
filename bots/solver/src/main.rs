//! `solver`: answers questions on stdin, a line each.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let games = solver::rows::games().unwrap_or_else(|problem| panic!("{problem}"));
    let mut desk = solver::lines::Desk::new(&games);
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", desk.answer(&line?))?;
        out.flush()?;
    }
    Ok(())
}
