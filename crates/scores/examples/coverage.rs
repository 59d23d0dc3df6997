//! How often the intervals of each method contain the truth: the table of docs/src/explanation/intervals.md, in about a
//! minute.
//!
//! `cargo run --release -p barecode-scores --example coverage`

#![expect(clippy::print_stdout, reason = "an example prints")]

use barecode_scores::Method;

#[path = "../tests/scores/coverage.rs"]
mod coverage;

const QUERIES: [usize; 4] = [10, 15, 50, 200];

fn main() {
    let student = coverage::simulate(&QUERIES, Method::Student, 20_000);
    let others = [Method::Percentile, Method::Bca];
    let others = others.map(|method| coverage::simulate(&QUERIES, method, 2_000));
    println!("| column | queries | default | width | percentile | width | BCa | width |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (at, one) in student.iter().enumerate() {
        print!("| {} | {} |", one.column, one.queries);
        for covered in [one, &others[0][at], &others[1][at]] {
            print!(" {:.1} % | {:.3} |", covered.share * 100.0, covered.width);
        }
        println!();
    }
}
