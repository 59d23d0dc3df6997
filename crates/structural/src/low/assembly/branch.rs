//! Jumps, calls and returns.

use super::super::graph::{Condition, Node};
use super::super::layout::{Placed, Target};
use super::super::trace::{Callee, Event};
use super::Machine;

/// The function that a name refers to, if it is one.
fn named(name: &str) -> Callee {
    if name.is_empty() {
        Callee::Unknown
    } else {
        Callee::Named(name.to_owned())
    }
}

impl<'a> Machine<'a> {
    pub(super) fn jump(&mut self, placed: &Placed<'a>, condition: Condition, at: usize) {
        let is_back = matches!(placed.target, Target::Inside(target) if target <= at);
        self.test(condition, true, is_back);
        if let Target::Outside(name) = placed.target
            && !name.is_empty()
        {
            self.call(named(name));
        }
    }

    pub(super) fn goto(&mut self, code: &[Placed<'a>], placed: &Placed<'a>, at: usize) {
        let callee = match placed.target {
            _ if placed.instruction.is_indirect => {
                let value = self.first(placed, 8);
                // Through a table it is a switch; through a pointer a call.
                let is_call = match self.graph.node(self.graph.bare(value)) {
                    Node::Load(address, ..) => !self.is_indexed(address) && !self.is_plain,
                    Node::Initial(_) => true,
                    _ => false,
                };
                if !is_call {
                    self.event(Event::Switch);
                    return;
                }
                Callee::Value(value)
            }
            Target::Outside(name) => named(name),
            Target::Inside(_) | Target::None => return,
        };
        self.call(callee);
        self.returns(code, at);
    }

    pub(super) fn call_of(&mut self, placed: &Placed<'a>) {
        let callee = match placed.target {
            Target::Inside(0) => Callee::Itself,
            Target::Outside(name)
                if name.starts_with("__stack_chk_fail") || name.starts_with("_Unwind_Resume") =>
            {
                return;
            }
            Target::Outside(name) if !name.is_empty() => named(name),
            _ if placed.instruction.is_indirect => Callee::Value(self.first(placed, 8)),
            _ => Callee::Unknown,
        };
        self.call(callee);
    }
}
