//! The transforms, one file each.
//!
//! Each file says what it rewrites, when the rewrite keeps (or breaks) the meaning, and what it declines. Each is a type
//! that implements [`Transform`]; [`named`] finds one by its name in the paper, and a
//! [`StepConfig`](crate::StepConfig) makes one with options.

mod mutant;
pub mod change_names;
pub mod wrong_arithmetic_operator;
pub mod wrong_comparison_operator;
pub mod wrong_boolean_value;
pub mod wrong_boolean_operator;
pub mod wrong_aug_assign_operator;
pub mod range_off_by_one;
pub mod number_wrong_sign;
pub mod number_wrong_value;
pub mod remove_negation;
pub mod deleted_statement;
pub mod typo_in_name;

mod arithmetic;
mod swap_condition;
mod for_in_range;
mod comment_deletion;
mod list_comprehension;
mod boolean_simplify;
mod chained_comparison;
mod conditional_expr;
mod fstring;

pub use arithmetic::ArithmeticTransform;
pub use boolean_simplify::BooleanSimplify;
pub use chained_comparison::ChainedComparisonToAnd;
pub use comment_deletion::CommentDeletion;
pub use conditional_expr::ConditionalExprToIfElse;
pub use for_in_range::ForInRangeToWhile;
pub use fstring::FStringToFormat;
pub use list_comprehension::ListCompToForLoop;
pub use swap_condition::SwapCondition;

use crate::Transform;

/// The transform that removes comments.
pub const COMMENT_DELETION: &str = "CommentDeletion";
/// The transform that renames.
pub const CHANGE_NAMES: &str = "ChangeNames";

/// The transforms that keep the meaning (pydra, Table 2), in the table's order.
pub fn positive() -> Vec<Box<dyn Transform + Send>> {
    vec![
        Box::new(ArithmeticTransform),
        Box::new(SwapCondition),
        Box::new(ForInRangeToWhile),
        Box::new(CommentDeletion),
        Box::new(ListCompToForLoop),
        Box::new(BooleanSimplify),
        Box::new(ChainedComparisonToAnd),
        Box::new(ConditionalExprToIfElse),
        Box::new(FStringToFormat),
        Box::new(change_names::ChangeNames::default()),
    ]
}

/// The transforms that break it (pydra, Table 3), in the table's order.
pub fn negative() -> Vec<Box<dyn Transform + Send>> {
    vec![
        Box::new(wrong_arithmetic_operator::WrongArithmeticOperator),
        Box::new(wrong_comparison_operator::WrongComparisonOperator),
        Box::new(wrong_boolean_value::WrongBooleanValue),
        Box::new(wrong_boolean_operator::WrongBooleanOperator),
        Box::new(wrong_aug_assign_operator::WrongAugAssignOperator),
        Box::new(range_off_by_one::RangeOffByOne),
        Box::new(number_wrong_sign::NumberWrongSign),
        Box::new(number_wrong_value::NumberWrongValue),
        Box::new(remove_negation::RemoveNegation),
        Box::new(deleted_statement::DeletedStatement::default()),
        Box::new(typo_in_name::TypoInName::default()),
    ]
}

/// The transform of this name with its usual options.
pub fn named(name: &str) -> Option<Box<dyn Transform + Send>> {
    // The paper has two names for it.
    let name = match name {
        "WrongAugmentedAssignOperator" => "WrongAugAssignOperator",
        name => name,
    };
    let mut all = positive().into_iter().chain(negative());
    all.find(|transform| transform.name() == name)
}
