//! Any legal action; the seed comes with the decision, so that the same match plays the same again.

use kingmaker::Observation;

fn main() -> std::process::ExitCode {
    kingmaker::main("random", |o: &Observation| {
        o.legal()[(o.seed() % o.legal().len() as u64) as usize]
    })
}
