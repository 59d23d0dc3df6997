//! The transforms, one file each.
//!
//! The comment of each file names the code that it rewrites, the reason that the rewrite keeps (or breaks) the
//! meaning, and the cases that it declines. A transform with options is a type of its own; all others are a name and
//! a function. [`named`] finds one by its name in the paper, and a [`StepConfig`](crate::StepConfig) makes one with
//! options.

mod mutant;
pub mod change_names;
mod wrong_arithmetic_operator;
mod wrong_comparison_operator;
mod wrong_boolean_value;
mod wrong_boolean_operator;
mod wrong_aug_assign_operator;
mod range_off_by_one;
mod number_wrong_sign;
mod number_wrong_value;
mod remove_negation;
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

use barecode_records::python::VariantKind;

use self::mutant::Mutant;
use crate::{Context, Fresh, Module, Site, Transform};

/// The transform that removes comments.
pub const COMMENT_DELETION: &str = "CommentDeletion";
/// The transform that renames.
pub const CHANGE_NAMES: &str = "ChangeNames";

/// The nodes that a transform can be applied to.
type Sites = fn(&Module<'_>, &Context, &mut Fresh<'_>) -> Vec<Site>;

/// A transform that keeps the meaning.
#[derive(Debug, Clone, Copy)]
struct Rewrite {
    name: &'static str,
    sites: Sites,
}

impl Transform for Rewrite {
    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Clone
    }

    fn sites(&self, module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site> {
        (self.sites)(module, context, fresh)
    }
}

/// The transforms that keep the meaning (pydra, Table 2), in the table's order.
pub fn positive() -> Vec<Box<dyn Transform + Send>> {
    let plain: [(_, Sites); 9] = [
        ("ArithmeticTransform", arithmetic::sites),
        ("SwapCondition", swap_condition::sites),
        ("ForInRangeToWhile", for_in_range::sites),
        (COMMENT_DELETION, comment_deletion::sites),
        ("ListCompToForLoop", list_comprehension::sites),
        ("BooleanSimplify", boolean_simplify::sites),
        ("ChainedComparisonToAnd", chained_comparison::sites),
        ("ConditionalExprToIfElse", conditional_expr::sites),
        ("FStringToFormat", fstring::sites),
    ];
    let plain = plain
        .map(|(name, sites)| -> Box<dyn Transform + Send> { Box::new(Rewrite { name, sites }) });
    let mut all = Vec::from(plain);
    all.push(Box::new(change_names::ChangeNames::default()));
    all
}

/// The transforms that break it (pydra, Table 3), in the table's order.
pub fn negative() -> Vec<Box<dyn Transform + Send>> {
    let plain: [(_, mutant::Mutants); 9] = [
        (
            "WrongArithmeticOperator",
            wrong_arithmetic_operator::mutants,
        ),
        (
            "WrongComparisonOperator",
            wrong_comparison_operator::mutants,
        ),
        ("WrongBooleanValue", wrong_boolean_value::mutants),
        ("WrongBooleanOperator", wrong_boolean_operator::mutants),
        ("WrongAugAssignOperator", wrong_aug_assign_operator::mutants),
        ("RangeOffByOne", range_off_by_one::mutants),
        ("NumberWrongSign", number_wrong_sign::mutants),
        ("NumberWrongValue", number_wrong_value::mutants),
        ("RemoveNegation", remove_negation::mutants),
    ];
    let plain =
        plain.map(|(name, of)| -> Box<dyn Transform + Send> { Box::new(Mutant { name, of }) });
    let mut all = Vec::from(plain);
    all.push(Box::new(deleted_statement::DeletedStatement::default()));
    all.push(Box::new(typo_in_name::TypoInName::default()));
    all
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
