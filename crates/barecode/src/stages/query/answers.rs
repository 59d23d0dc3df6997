//! Prompts to answers, with a bar; classifying and writing use the same function.

use std::sync::{Mutex, PoisonError};

use barecode_models::{Answer, End, ModelError, Prompt, Writer};
use barecode_queries::Came;

use crate::console::Working;

/// Returns the answers of a writer, in the order of the prompts.
pub(super) fn answers(
    writer: &dyn Writer,
    name: &str,
    prompts: &[Prompt],
    bar: &Working,
) -> Result<Vec<Answer>, ModelError> {
    let answers = Mutex::new((vec![None; prompts.len()], 0));
    writer.write(prompts, &|index, answer| {
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.0[index] = Some(answer);
        answers.1 += 1;
        bar.tell(name, answers.1, prompts.len() as u64);
        Ok(())
    })?;
    let (answers, _) = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let answered =
        |answer: Option<Answer>| answer.expect("a writer answers every prompt, or fails");
    Ok(answers.into_iter().map(answered).collect())
}

/// Returns the end of an answer, in the terms of the judges of queries.
pub(super) fn came(answer: &Answer) -> Came {
    match answer.end {
        End::Whole => Came::Whole,
        End::Cut => Came::Cut,
        End::Refused => Came::Refused,
        End::TooLong => Came::TooLong,
    }
}
