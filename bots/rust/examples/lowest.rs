//! The lowest legal action, always.

use kingmaker::Observation;

fn main() -> std::process::ExitCode {
    kingmaker::main("lowest", |o: &Observation| o.legal()[0])
}
