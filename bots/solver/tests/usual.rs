//! With no round to think, the card of `greedy`: recorded decisions of the reference bot in Python, two of each contract, without ties.

use solver::lines::Desk;
use solver::rows::games;

/// A line: the card, or the lowest that does the same, and the question.
const RECORDED: &str = include_str!("usual.txt");

#[test]
fn the_usual_card_is_that_of_greedy() {
    let games = games().unwrap();
    let mut desk = Desk::new(&games);
    for line in RECORDED.lines() {
        let (card, question) = line.split_once(' ').unwrap();
        assert_eq!(desk.answer(question), card, "{question}");
    }
    assert!(RECORDED.lines().count() > 50);
}
