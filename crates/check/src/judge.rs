//! Texts in, verdicts out.
//!
//! A [`Judge`] is a compiler of C, one of C++ if installed, and their cache. It may be shared by any number of
//! threads, and its cache by any number of processes. Of many texts at once, it compiles matching ones together; a
//! text that is not clearly accepted that way is compiled alone, so a verdict depends on its own question only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use barecode_records::{Digest, Language, Toolchain};

use crate::assembly::{self, Functions};
use crate::batch::{self, Ask, Found};
use crate::cache::Cache;
use crate::header_cache::HeaderCache;
use crate::order::{Done, Work};
use crate::{CheckConfig, CheckError, Compiler, Complaint, Object, PartPool, Question, Verdict};

/// The version of the notes in the cache, and of the way in which batches are made.
const BATCHES: u32 = 5;

/// The note of two texts that leave the same object.
const ALIKE: &str = "alike";

/// The result for a text's errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// The text has no errors.
    Nothing,
    /// These, or some of them.
    Errors(String),
    /// Others have some, so the errors of this text are unknown.
    Unsaid,
}

/// The functions that whole closures compile to among others, by the digest of the question.
pub(crate) type WholeListings = BTreeMap<String, Functions>;

/// The words of a refusal, up to its first error.
fn up_to_error(message: &str) -> String {
    let mut lines = message.lines();
    let first = lines.position(|line| line.contains("error"));
    let kept = first.map_or(usize::MAX, |first| first + 1);
    message.lines().take(kept).collect::<Vec<_>>().join("\n")
}

/// The reason why a text has no object.
#[derive(Debug)]
pub struct NoObject {
    /// The verdict.
    pub verdict: Verdict,
    /// All errors, if the compiler was asked for them.
    pub errors: Option<Vec<Complaint>>,
}

impl NoObject {
    fn of(verdict: Verdict) -> Self {
        NoObject {
            verdict,
            errors: None,
        }
    }
}

/// Compilers, and their earlier verdicts.
#[derive(Debug)]
pub struct Judge {
    c: Compiler,
    cpp: Option<Compiler>,
    digest: String,
    pub(crate) cache: Cache,
    headers: HeaderCache,
    part_pool: Arc<PartPool>,
}

impl Judge {
    /// Opens the cache, if one is requested. A cache that cannot be used is ignored; see [`Judge::cache_damage`].
    ///
    /// # Errors
    /// [`CheckError::DiskFull`] when the cache does not fit on the disk.
    pub fn new(
        c: Compiler,
        cpp: Option<Compiler>,
        cache: Option<&Path>,
    ) -> Result<Judge, CheckError> {
        let digest = Digest::new("judge")
            .field(BATCHES.to_le_bytes())
            .field(c.digest())
            .field(cpp.as_ref().map(Compiler::digest).unwrap_or_default())
            .hex();
        Ok(Judge {
            digest,
            c,
            cpp,
            cache: Cache::open(cache)?,
            headers: HeaderCache::default(),
            part_pool: Arc::default(),
        })
    }

    /// The same judge with threads for the parts of a shard.
    #[must_use]
    pub fn with_part_pool(self, part_pool: Arc<PartPool>) -> Judge {
        Judge { part_pool, ..self }
    }

    /// The threads for the parts of a shard.
    pub fn part_pool(&self) -> &PartPool {
        &self.part_pool
    }

    /// The compiler of C, which is always present.
    pub fn compiler(&self) -> &Compiler {
        &self.c
    }

    /// Counts the processes of its compilers so far, while they work.
    pub fn compilations(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let c = self.c.count();
        let cpp = self.cpp.as_ref().map(Compiler::count);
        move || c() + cpp.as_ref().map_or(0, |cpp| cpp())
    }

    /// The compiler of C++, if it is present.
    pub fn cpp(&self) -> Option<&Compiler> {
        self.cpp.as_ref()
    }

    /// The compiler of a language.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when the compiler is missing.
    pub fn compiler_of(&self, language: Language) -> Result<&Compiler, CheckError> {
        match (language, &self.cpp) {
            (Language::C, _) => Ok(&self.c),
            (Language::CPP, Some(cpp)) => Ok(cpp),
            _ => Err(Compiler::missing(self.config(), language)),
        }
    }

    /// The recipe's part about the compilers.
    pub fn config(&self) -> &CheckConfig {
        self.c.config()
    }

    /// The toolchain that judges a language, for the records.
    ///
    /// # Errors
    /// As [`Judge::compiler_of`].
    pub fn toolchain(&self, language: Language) -> Result<&Toolchain, CheckError> {
        self.compiler_of(language).map(Compiler::toolchain)
    }

    /// Digest of all that its verdicts depend on besides the question.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The verdict about one text.
    ///
    /// # Errors
    /// When a verdict is not available: the disk is full, a compiler is gone, the cache is damaged.
    pub fn judge(&self, question: &Question) -> Result<Verdict, CheckError> {
        let key = self.key(question)?;
        if let Some((verdict, _)) = self.cache.get(&key)? {
            return Ok(verdict);
        }
        self.alone(question, &key).map(|(verdict, _)| verdict)
    }

    /// The verdicts about many texts, in their order. They are those that [`Judge::judge`] returns for each.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn judge_all(&self, questions: &[Question]) -> Result<Vec<Verdict>, CheckError> {
        let keys = questions
            .iter()
            .map(|question| self.key(question))
            .collect::<Result<Vec<_>, _>>()?;
        let mut known: BTreeMap<&str, Verdict> = BTreeMap::new();
        let mut open: BTreeMap<&str, &Question> = BTreeMap::new();
        for (key, question) in keys.iter().zip(questions) {
            match self.cache.get(key)? {
                Some((verdict, _)) => {
                    known.insert(key, verdict);
                }
                None => {
                    open.insert(key, question);
                }
            }
        }
        let languages: BTreeSet<Language> =
            open.values().map(|question| question.language).collect();
        for language in languages {
            // In the order of the questions, so that neighbors of a file stay neighbors.
            let mut asked: Vec<(&str, &Question)> = Vec::new();
            for key in &keys {
                if let Some(question) = open.get(key.as_str())
                    && question.language == language
                {
                    asked.push((key, question));
                    open.remove(key.as_str());
                }
            }
            if asked.is_empty() {
                continue;
            }
            let texts: Vec<&Question> = asked.iter().map(|(_, question)| *question).collect();
            let found = batch::ask(
                self.compiler_of(language)?,
                &self.headers,
                &texts,
                &[],
                Ask::Code,
            )?;
            for ((key, question), found) in asked.into_iter().zip(found) {
                let verdict = match found {
                    Some(Found::Code(code_bytes)) => {
                        let verdict = Verdict::Compiled { code_bytes };
                        self.cache.put(key, &verdict, None)?;
                        verdict
                    }
                    // A text that a batch refuses is compiled alone: the words of a refusal are part of a verdict.
                    _ => self.alone(question, key)?.0,
                };
                known.insert(key, verdict);
            }
        }
        Ok(keys.iter().map(|key| known[key.as_str()].clone()).collect())
    }

    /// The object of a text that is compiled by itself, or the verdict if it has none.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn object(&self, question: &Question) -> Result<Result<Object, Verdict>, CheckError> {
        let key = self.key(question)?;
        match self.cache.get(&key)? {
            Some((Verdict::Compiled { .. }, Some(object))) => return Ok(Ok(object)),
            Some((Verdict::Compiled { .. }, None)) | None => {}
            Some((verdict, _)) => return Ok(Err(verdict)),
        }
        let (verdict, object) = self.alone(question, &key)?;
        Ok(object.ok_or(verdict))
    }

    /// The object of a text that is compiled by itself, or the verdict. For a refused text of C++ all of its errors are
    /// returned too, from the same run of the compiler; the message of the verdict ends with the first.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn object_or_errors(
        &self,
        question: &Question,
    ) -> Result<Result<Object, NoObject>, CheckError> {
        let key = self.key(question)?;
        let known = self.cache.get(&key)?;
        let is_compiled = matches!(known, Some((Verdict::Compiled { .. }, Some(_))));
        if is_compiled || question.language != Language::CPP {
            let object = self.object(question)?;
            return Ok(object.map_err(NoObject::of));
        }
        let said = Digest::new("complaints").field(&key).hex();
        let refused = |(message, complaints)| NoObject {
            verdict: Verdict::Refused { message },
            errors: Some(complaints),
        };
        if let Some(known) = self.cache.answer(&said)? {
            return Ok(Err(refused(known)));
        }
        let compiler = self.compiler_of(question.language)?;
        let text = question.compiled_text();
        let done = self.headers.work(compiler, Work::Object, &text, true)?;
        match &done.failed {
            Some(Verdict::Refused { message }) => {
                let mut complaints = Complaint::read(&done.stderr, compiler.file(), &text);
                for complaint in &mut complaints {
                    complaint.byte = question.without_mark(complaint.byte);
                }
                let known = (up_to_error(message), complaints);
                self.cache.put_answer(&said, &known)?;
                Ok(Err(refused(known)))
            }
            // With fewer errors it may stay within its limits.
            Some(_) => {
                let (verdict, object) = self.alone(question, &key)?;
                Ok(object.ok_or(NoObject::of(verdict)))
            }
            None => {
                let (verdict, object) = self.remember(question, &key, done)?;
                Ok(object.ok_or(NoObject::of(verdict)))
            }
        }
    }

    /// Returns, for each of some texts of C, `true` if it leaves the same object as `original`, shown by compiling
    /// all of them together.
    ///
    /// Other texts may still leave the same object: [`Judge::object`] decides. This test works only for gcc and for
    /// texts of C.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn alike(&self, original: &Question, others: &[Question]) -> Result<Vec<bool>, CheckError> {
        let mut alike = vec![false; others.len()];
        if original.language != Language::C
            || original.is_template
            || !self.c.toolchain().version.starts_with("gcc")
        {
            return Ok(alike);
        }
        let mine = self.key(original)?;
        let mut open = Vec::new();
        for (at, other) in others.iter().enumerate() {
            let theirs = self.key(other)?;
            let pair = Digest::new("alike 2").field(&mine).field(&theirs).hex();
            match self.cache.note(&pair)? {
                Some(note) => alike[at] = note == ALIKE,
                None if matches!(self.cache.get(&theirs)?, Some((_, Some(_)))) => {}
                None => open.push((at, pair)),
            }
        }
        if open.is_empty() {
            return Ok(alike);
        }
        let texts = open.iter().map(|(at, _)| &others[*at]);
        let texts: Vec<&Question> = [original].into_iter().chain(texts).collect();
        let found = batch::ask(&self.c, &self.headers, &texts, &[], Ask::Listing)?;
        let mut found = found.into_iter();
        let mine = found.next().flatten();
        for ((at, pair), theirs) in open.into_iter().zip(found) {
            alike[at] = matches!(theirs, Some(Found::Listing(_))) && theirs == mine;
            self.cache
                .put_note(&pair, if alike[at] { ALIKE } else { "" })?;
        }
        Ok(alike)
    }

    /// Compiles one text, and remembers.
    fn alone(
        &self,
        question: &Question,
        key: &str,
    ) -> Result<(Verdict, Option<Object>), CheckError> {
        let compiler = self.compiler_of(question.language)?;
        let text = question.compiled_text();
        let done = self.headers.work(compiler, Work::Object, &text, false)?;
        self.remember(question, key, done)
    }

    /// Reads the object of a text that was compiled alone, and remembers the verdict.
    fn remember(
        &self,
        question: &Question,
        key: &str,
        done: Done,
    ) -> Result<(Verdict, Option<Object>), CheckError> {
        let compiler = self.compiler_of(question.language)?;
        let (verdict, object) = match compiler.object(question, done)? {
            Ok(object) => {
                let code_bytes = object.code_bytes;
                (Verdict::Compiled { code_bytes }, Some(object))
            }
            Err(verdict) => (verdict, None),
        };
        self.cache.put(key, &verdict, object.as_ref())?;
        Ok((verdict, object))
    }

    /// The errors of each text, judged as `language`; `None` if it has none. No code is generated.
    pub(crate) fn errors(
        &self,
        questions: &[&Question],
        language: Language,
    ) -> Result<Vec<Option<String>>, CheckError> {
        let said = self.ask_errors(questions, &[], language, Ask::Errors)?;
        let errors = said.into_iter().map(|said| match said {
            Said::Errors(errors) => Some(errors),
            Said::Nothing | Said::Unsaid => None,
        });
        Ok(errors.collect())
    }

    /// Every error of a text, with its position. No code is generated; a text that compiles has no errors.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn complaints(&self, question: &Question) -> Result<Vec<Complaint>, CheckError> {
        let compiler = self.compiler_of(question.language)?;
        let done = self
            .headers
            .work(compiler, Work::Syntax, &question.text, true)?;
        Ok(Complaint::read(
            &done.stderr,
            compiler.file(),
            &question.text,
        ))
    }

    /// The errors of some texts, each of which may miss some names. Of those that share a process, all texts with
    /// errors get an answer, or all texts do. For the others, call again once the first are fixed or removed.
    pub(crate) fn some_errors(
        &self,
        questions: &[&Question],
        missing: &[Vec<&str>],
        language: Language,
    ) -> Result<Vec<Said>, CheckError> {
        self.ask_errors(questions, missing, language, Ask::SomeErrors)
    }

    fn ask_errors(
        &self,
        questions: &[&Question],
        missing: &[Vec<&str>],
        language: Language,
        ask: Ask,
    ) -> Result<Vec<Said>, CheckError> {
        let compiler = self.compiler_of(language)?;
        let found = batch::ask(compiler, &self.headers, questions, missing, ask)?;
        let mut all = Vec::with_capacity(questions.len());
        for (question, found) in questions.iter().zip(found) {
            all.push(match found {
                Some(Found::Errors(errors)) => Said::Errors(errors),
                Some(Found::Unsaid) => Said::Unsaid,
                Some(_) => Said::Nothing,
                None => {
                    let done = self
                        .headers
                        .work(compiler, Work::Syntax, &question.text, true)?;
                    match done.failed {
                        Some(_) => Said::Errors(batch::errors_of(&done.stderr)),
                        None => Said::Nothing,
                    }
                }
            });
        }
        Ok(all)
    }

    /// The functions that pairs of texts compile to. Both of a pair were compiled the same way, so they can be
    /// compared; `None` if one of them does not compile. The first of a pair is looked up in `wholes`, and added to it.
    pub(crate) fn functions(
        &self,
        pairs: &[(&Question, &Question)],
        wholes: &mut WholeListings,
    ) -> Result<Vec<Option<(Functions, Functions)>>, CheckError> {
        let mut both = vec![None; pairs.len()];
        let languages: BTreeSet<Language> = pairs.iter().map(|pair| pair.0.language).collect();
        for language in languages {
            let of_language: Vec<usize> = (0..pairs.len())
                .filter(|&at| pairs[at].0.language == language)
                .collect();
            if of_language.is_empty() {
                continue;
            }
            let compiler = self.compiler_of(language)?;
            let keys = of_language.iter().map(|&at| self.key(pairs[at].0));
            let keys: Vec<String> = keys.collect::<Result<_, _>>()?;
            let open: Vec<(&String, &Question)> = keys
                .iter()
                .zip(of_language.iter().map(|&at| pairs[at].0))
                .filter(|(key, _)| !wholes.contains_key(*key))
                .collect();
            let ones: Vec<&Question> = open.iter().map(|(_, one)| *one).collect();
            let others: Vec<&Question> = of_language.iter().map(|&at| pairs[at].1).collect();
            let ones_found = batch::ask(compiler, &self.headers, &ones, &[], Ask::Assembly)?;
            let others_found = batch::ask(compiler, &self.headers, &others, &[], Ask::Assembly)?;
            for ((key, _), found) in open.into_iter().zip(ones_found) {
                if let Some(Found::Assembly(functions)) = found {
                    wholes.insert(key.clone(), functions);
                }
            }
            for ((&at, key), other) in of_language.iter().zip(&keys).zip(others_found) {
                let one = wholes.get(key);
                both[at] = if let (Some(one), Some(Found::Assembly(other))) = (one, other) {
                    Some((one.clone(), other))
                } else {
                    let (one, other) = pairs[at];
                    // The small one first: if it does not compile, the other is not needed.
                    let other = self.functions_alone(compiler, other)?;
                    let one = match other {
                        Some(_) => self.functions_alone(compiler, one)?,
                        None => None,
                    };
                    one.zip(other)
                };
            }
        }
        Ok(both)
    }

    /// The functions of a text that is compiled by itself.
    fn functions_alone(
        &self,
        compiler: &Compiler,
        question: &Question,
    ) -> Result<Option<Functions>, CheckError> {
        let done = self
            .headers
            .work(compiler, Work::Assembly, &question.compiled_text(), true)?;
        if done.failed.is_some() {
            return Ok(None);
        }
        let mut read = assembly::read(&String::from_utf8_lossy(&done.output), |_| Some(0));
        Ok(Some(read.remove(&0).unwrap_or_default()))
    }

    /// The names that an include declares: macros, and names declared outside of all braces and in name spaces.
    pub(crate) fn brings(
        &self,
        compiler: &Compiler,
        line: &str,
    ) -> Result<Option<Arc<BTreeSet<Box<str>>>>, CheckError> {
        self.headers.brings(compiler, line)
    }

    /// The problems with the cache since the last call: entries that were deleted, or the reason why the file is not
    /// used. No answer depends on it.
    pub fn cache_damage(&self) -> Option<String> {
        self.cache.damage()
    }

    /// The digest of a question and of all that answers it.
    fn key(&self, question: &Question) -> Result<String, CheckError> {
        Ok(Digest::new("verdict")
            .field(BATCHES.to_le_bytes())
            .field(self.compiler_of(question.language)?.digest())
            .field(&question.text)
            .field(&question.function)
            .field(question.target.start.to_le_bytes())
            .field(question.target.end.to_le_bytes())
            .field([u8::from(question.is_template)])
            .hex())
    }
}
