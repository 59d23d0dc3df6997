//! Answers of servers on a tape: recorded once, replayed any number of times, without a network and without a key.
//!
//! A cassette is a file of JSON lines, one for each request that was answered well, appended and flushed as it is
//! answered. A line has the digest of the request, the digests of its texts, and the answer as it came; no key, no
//! header, no text. It ends with a digest of all of it, so a line with another letter is refused and never replayed; lines
//! of version 1 have none. The fields are in docs/src/reference/asking.md, "Cassettes".
//!
//! Vectors are found by *text*: a replay may use other batches, or fewer texts, than the recording. Scores of
//! rerankers and answers of chats are found by the whole request, because their answer for a text depends on the
//! other texts.
//!
//! The one hard thing is a recording that was killed: a last line that is cut is not an answer, and the next
//! recording begins a new line.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barecode_records::{Digest, guarded};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{ModelError, Side};

const VERSION: u32 = 2;

/// The version whose lines have no digest.
const WITHOUT_DIGEST: u32 = 1;

/// A file of recorded answers.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    recording: bool,
    tape: Mutex<Tape>,
}

/// The positions of answers in the file: the offset of their line.
#[derive(Debug)]
struct Tape {
    file: File,
    end: u64,
    requests: BTreeMap<String, u64>,
    /// By text: the line, and the index in it.
    texts: BTreeMap<String, (u64, usize)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    barecode_cassette: u32,
    model: String,
    request: String,
    texts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    tokens: Option<u64>,
    #[serde(borrow)]
    answer: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    digest: Option<String>,
}

impl Line<'_> {
    /// A digest of everything else on the line.
    fn digest(&self) -> String {
        Digest::new("cassette")
            .field(self.barecode_cassette.to_le_bytes())
            .field(&self.model)
            .field(&self.request)
            .fields(&self.texts)
            .fields(self.tokens.map(u64::to_le_bytes))
            .field(self.answer.get())
            .hex()
    }

    /// Returns `true` if it is as it was recorded, as far as its digest shows.
    fn holds(&self) -> bool {
        match &self.digest {
            Some(digest) => *digest == self.digest(),
            None => self.barecode_cassette == WITHOUT_DIGEST,
        }
    }
}

/// The common fields of all versions of a line.
#[derive(Deserialize)]
struct Head {
    barecode_cassette: u32,
}

/// An answer as it was recorded.
#[derive(Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) answer: Vec<u8>,
    /// Number of texts that it answers.
    pub(crate) texts: usize,
    /// Tokens by the server's count, if they are not in the answer itself.
    pub(crate) tokens: Option<u64>,
}

impl Cassette {
    /// A cassette to record on: recorded answers are replayed, others are requested and added.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let file = folder.path().join("paper.jsonl");
    /// use barecode_models::Cassette;
    /// let cassette = Cassette::record(&file)?;
    /// assert!(cassette.is_recording());
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be written, or is not one of barecode's.
    pub fn record(path: &Path) -> Result<Self, ModelError> {
        if path.exists() {
            guarded::open(path).map_err(ModelError::io("read", path))?;
        }
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(ModelError::io("write", path))?;
        let mut tape = read_tape(path, file)?;
        // A recording that was killed in the middle of a line leaves one that is not JSON; it ends here.
        let mut close = || -> io::Result<()> {
            if tape.end > 0 {
                tape.file.seek(SeekFrom::End(-1))?;
                let mut last = [0];
                tape.file.read_exact(&mut last)?;
                if last != *b"\n" {
                    tape.file.write_all(b"\n")?;
                    tape.end += 1;
                }
            }
            Ok(())
        };
        close().map_err(ModelError::io("write", path))?;
        Ok(Cassette {
            path: path.to_owned(),
            recording: true,
            tape: Mutex::new(tape),
        })
    }

    /// A cassette to replay; no request is sent to any server then.
    ///
    /// # Errors
    /// If the file cannot be read, or a line other than a cut one is not of a cassette.
    pub fn replay(path: &Path) -> Result<Self, ModelError> {
        let file = guarded::open(path).map_err(ModelError::io("read", path))?;
        Ok(Cassette {
            path: path.to_owned(),
            recording: false,
            tape: Mutex::new(read_tape(path, file)?),
        })
    }

    /// Returns `true` if missing answers are requested and added.
    pub fn is_recording(&self) -> bool {
        self.recording
    }

    /// Adds an answer.
    pub(crate) fn keep(
        &self,
        model: &str,
        request: &str,
        texts: Vec<String>,
        tokens: Option<u64>,
        answer: &[u8],
    ) -> Result<(), ModelError> {
        let no_json = |error: serde_json::Error| {
            let source = io::Error::new(io::ErrorKind::InvalidData, error);
            ModelError::io("record an answer in", &self.path)(source)
        };
        let answer: &RawValue = serde_json::from_slice(answer).map_err(no_json)?;
        // A line is a line whatever way the server breaks its own.
        let compact;
        let answer = if answer.get().contains('\n') {
            let value: serde_json::Value = serde_json::from_str(answer.get()).map_err(no_json)?;
            compact = RawValue::from_string(value.to_string()).map_err(no_json)?;
            &*compact
        } else {
            answer
        };
        let mut line = Line {
            barecode_cassette: VERSION,
            model: model.to_owned(),
            request: request.to_owned(),
            texts,
            tokens,
            answer,
            digest: None,
        };
        line.digest = Some(line.digest());
        let mut text = serde_json::to_vec(&line).map_err(no_json)?;
        text.push(b'\n');
        let mut tape = self.tape();
        tape.file
            .write_all(&text)
            .map_err(ModelError::io("write", &self.path))?;
        let offset = tape.end;
        tape.end += text.len() as u64;
        tape.add(offset, line.request, line.texts);
        Ok(())
    }

    /// The position of the answer with this text's vector: its line, and the index in it.
    pub(crate) fn find_text(&self, digest: &str) -> Option<(u64, usize)> {
        self.tape().texts.get(digest).copied()
    }

    /// The position of the answer to this request.
    pub(crate) fn find_request(&self, digest: &str) -> Option<u64> {
        self.tape().requests.get(digest).copied()
    }

    /// The answer on a line.
    pub(crate) fn read(&self, offset: u64) -> Result<Recorded, ModelError> {
        let read = || -> io::Result<Recorded> {
            let mut tape = self.tape();
            tape.file.seek(SeekFrom::Start(offset))?;
            let mut text = Vec::new();
            BufReader::new(&mut tape.file).read_until(b'\n', &mut text)?;
            let line: Line<'_> = serde_json::from_slice(&text)?;
            if !line.holds() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, CHANGED));
            }
            Ok(Recorded {
                answer: line.answer.get().as_bytes().to_vec(),
                texts: line.texts.len(),
                tokens: line.tokens,
            })
        };
        read().map_err(ModelError::io("read", &self.path))
    }

    /// The error for a request that was not recorded.
    pub(crate) fn missing(&self, model: &str, n_texts: usize) -> ModelError {
        ModelError::unusable(format!(
                "{model}: {n_texts} of the texts asked for are not on the cassette `{}`",
                self.path.display()
            )).with_hint("texts, prompts, model and options must be those of the recording; record again to add to it")
    }

    /// The error for a recording that cannot be an answer.
    pub(crate) fn unfit(model: &str, why: &str) -> ModelError {
        let message = format!("{model}: a recorded answer cannot be right: {why}");
        ModelError::unusable(message).with_hint("the cassette was changed; record again")
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    fn add(&mut self, offset: u64, request: String, texts: Vec<String>) {
        for (i, text) in texts.into_iter().enumerate() {
            self.texts.entry(text).or_insert((offset, i));
        }
        self.requests.entry(request).or_insert(offset);
    }
}

fn read_tape(path: &Path, file: File) -> Result<Tape, ModelError> {
    let mut reader = BufReader::new(file);
    let mut tape = Tape {
        file: reader
            .get_ref()
            .try_clone()
            .map_err(ModelError::io("read", path))?,
        end: 0,
        requests: BTreeMap::new(),
        texts: BTreeMap::new(),
    };
    let mut number = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let n = reader
            .read_until(b'\n', &mut line)
            .map_err(ModelError::io("read", path))?;
        if n == 0 {
            return Ok(tape);
        }
        number += 1;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let place = |column: usize| format!("{}:{number}:{column}", path.display());
        let read = serde_json::from_slice::<Head>(text).and_then(|head| {
            Ok(match head.barecode_cassette {
                WITHOUT_DIGEST | VERSION => Ok(serde_json::from_slice::<Line<'_>>(text)?),
                other => Err(other),
            })
        });
        match read {
            Ok(Ok(line)) if line.holds() => tape.add(tape.end, line.request, line.texts),
            Ok(Ok(_)) => {
                return Err(ModelError::unusable(format!("{}: {CHANGED}", place(1))).with_hint(
                    "restore the file, or remove this line: recording again asks for the answer",
                ));
            }
            Ok(Err(version)) => {
                return Err(ModelError::unusable(format!(
                    "{}: a cassette of version {version}, this is version {VERSION}",
                    place(1)
                )));
            }
            // A line that a kill cut short has no end brace; anything else is not ours.
            Err(error) if error.is_eof() => {}
            Err(error) => {
                return Err(ModelError::unusable(format!(
                    "{}: not a line of a cassette: {error}",
                    place(error.column())
                ))
                .with_hint("name a file that was recorded by barecode"));
            }
        }
        tape.end += n as u64;
    }
}

/// The message for a line that does not match its digest.
const CHANGED: &str = "this answer is not as it was recorded";

/// The digest under which a text's vector is found: it covers everything that the vector depends on.
pub(crate) fn text_digest(identity: &str, side: Side, text: &str) -> String {
    Digest::new("embedding")
        .field(identity)
        .field(side.name())
        .field(text)
        .hex()
}

/// The digest of a whole request: its content, not its address or sender.
pub(crate) fn request_digest(identity: &str, body: &[u8]) -> String {
    Digest::new("request").field(identity).field(body).hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_recorded_is_replayed_though_a_kill_cut_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let cassette = Cassette::record(&path).unwrap();
        cassette
            .keep(
                "m",
                "r1",
                vec!["t1".into(), "t2".into()],
                Some(7),
                b"{\"a\":\n 1}",
            )
            .unwrap();
        drop(cassette);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"barecode_cassette\":1,\"model\":\"m\",\"requ")
            .unwrap();
        drop(file);
        let cassette = Cassette::record(&path).unwrap();
        cassette
            .keep("m", "r2", vec!["t3".into()], None, b"[2.5]")
            .unwrap();
        let check = |tape: &Cassette| {
            let (line, place) = tape.find_text("t2").unwrap();
            let recorded = Recorded {
                answer: b"{\"a\":1}".to_vec(),
                texts: 2,
                tokens: Some(7),
            };
            assert_eq!((tape.read(line).unwrap(), place), (recorded, 1));
            let line = tape.find_request("r2").unwrap();
            assert_eq!(tape.read(line).unwrap().answer, b"[2.5]");
            assert_eq!(tape.find_request("r3"), None);
        };
        check(&cassette);
        drop(cassette);
        let tape = Cassette::replay(&path).unwrap();
        assert!(!tape.is_recording());
        check(&tape);
    }

    #[test]
    fn another_letter_on_a_tape_is_refused_or_not_found_and_never_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let cassette = Cassette::record(&path).unwrap();
        let keep = |request: &str, texts: &[&str], tokens, answer: &[u8]| {
            let texts = texts.iter().map(|text| (*text).to_owned()).collect();
            cassette.keep("m", request, texts, tokens, answer).unwrap();
        };
        keep("r1", &["t1"], Some(7), b"{\"text\":\"Adds two numbers.\"}");
        keep("r2", &["t2"], None, b"[2.5]");
        drop(cassette);
        let whole = std::fs::read(&path).unwrap();
        let expected = Cassette::replay(&path).map(|tape| tape.read(0).unwrap());
        let expected = expected.unwrap();
        let mut changed = 0;
        for (at, bit) in (0..whole.len()).flat_map(|at| [(at, 0x01), (at, 0x04)]) {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            std::fs::write(&path, &bytes).unwrap();
            let Ok(tape) = Cassette::replay(&path) else {
                changed += 1;
                continue;
            };
            // A line whose end is gone looks as after a kill.
            if let Some(line) = tape.find_request("r1") {
                assert_eq!(tape.read(line).unwrap(), expected, "byte {at}");
            }
            assert!(tape.find_request("r1").is_none() || tape.find_request("r2").is_none());
        }
        assert!(changed > whole.len(), "{changed}");
        let text = String::from_utf8(whole).unwrap();
        std::fs::write(&path, text.replace("numbers", "Numbers")).unwrap();
        let error = Cassette::replay(&path).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(&format!("a.jsonl:1:1: {CHANGED}")), "{said}");
        assert!(error.hint().is_some());
    }

    #[test]
    fn a_line_without_a_digest_is_read_where_its_version_had_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let line = |version: u32| {
            let line = format!(
                "{{\"barecode_cassette\":{version},\"model\":\"m\",\"request\":\"r\",\"texts\":[],\"answer\":[2.5]}}\n"
            );
            std::fs::write(&path, line).unwrap();
            Cassette::record(&path)
        };
        let old = line(1).unwrap();
        assert_eq!(
            old.read(old.find_request("r").unwrap()).unwrap().answer,
            b"[2.5]"
        );
        // What is added has one.
        old.keep("m", "r2", Vec::new(), None, b"[3]").unwrap();
        let both = Cassette::replay(&path).unwrap();
        assert!(both.find_request("r").is_some() && both.find_request("r2").is_some());
        assert!(line(2).is_err() && line(3).is_err());
    }

    #[test]
    fn another_file_is_refused_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "{\"other\": 1}\n").unwrap();
        let error = Cassette::replay(&path).unwrap_err().to_string();
        assert!(
            error.contains("a.jsonl:1:") && error.contains("not a line of a cassette"),
            "{error}"
        );
    }
}
