//! Repositories of the Hugging Face hub, models and datasets → folders on this machine.
//!
//! Enters: `ORG/NAME` and a revision. Leaves: the folder of that snapshot in the hub's own cache, with the
//! layout that `huggingface_hub` uses (`models--ORG--NAME/{blobs,refs,snapshots}`), so that a model is on the
//! disk once, whichever program fetched it. `HF_HOME`, `HF_HUB_CACHE`, `HF_HUB_OFFLINE`, `HF_ENDPOINT` and
//! `HF_TOKEN` have their usual meaning.
//!
//! A complete snapshot is used without a network, though the branch may have moved: two runs on one machine use the
//! same weights. To get newer ones, name a commit as the revision.
//!
//! The one hard thing is a download of gigabytes that breaks. The part that arrived is stored beside its final name,
//! and the next try requests the rest. A file gets its name only when its length and its hash (SHA-256 of large
//! files, git's SHA-1 of small ones) are those that the hub reports.
//!
//! Of a dataset its card and its tables are fetched. Other programs may have fetched only some of its files, so the
//! list of files is requested from the hub, unless it is offline.
//!
//! Not supported: weights in other formats than safetensors, which can run code when they are read, and the scripts
//! that load some datasets.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use barecode_records::guarded;
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256};
use serde_json::Value;

use crate::ModelError;
use crate::config::Opening;
use crate::remote::{Authorization, Broken, Key, Method, Request, Response, public_address};

/// The kind of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repository {
    Model,
    Dataset,
}

impl Repository {
    /// `models` or `datasets`, as in addresses and folders.
    fn plural(self) -> &'static str {
        match self {
            Repository::Model => "models",
            Repository::Dataset => "datasets",
        }
    }

    /// The part before the name in the address of a file.
    fn prefix(self) -> &'static str {
        match self {
            Repository::Model => "",
            Repository::Dataset => "datasets/",
        }
    }

    fn wants(self, file: &str) -> bool {
        match self {
            Repository::Model => is_wanted(file),
            Repository::Dataset => is_table(file),
        }
    }
}

/// The folder of a dataset of the hub, downloaded if it is missing.
///
/// # Errors
/// For an invalid name or revision, a repository that does not exist or has no tables, more than 8 GiB, and a hub
/// that cannot be reached or sends other bytes than it announced.
pub fn dataset_folder(
    opening: &Opening,
    repository: &str,
    revision: &str,
) -> Result<PathBuf, ModelError> {
    if !is_repository(repository) {
        return Err(
            ModelError::unusable(format!("`{repository}` is not a dataset of the hub"))
                .with_hint("datasets are named hf:ORG/NAME or hf:ORG/NAME@REVISION"),
        );
    }
    let mut hub = Hub::new(opening)?;
    hub.kind = Repository::Dataset;
    if hub.offline
        && let Some(snapshot) = hub.fetched(repository, revision).filter(|it| it.is_dir())
    {
        return Ok(snapshot);
    }
    hub.may_ask(repository, revision)?;
    hub.download(repository, revision, &hub.files_of(repository))
}

/// A dataset with more than this is not fetched as a whole.
const MOST_BYTES: u64 = 8 << 30;

/// Models have a few dozen files that are needed; a longer listing is not that of a model.
const MOST_FILES: usize = 1000;

/// The limit of a file whose length the hub does not report.
const LARGEST_FILE: u64 = 64 << 30;

/// The number of tries of a download that makes no headway.
const TRIES: u32 = 6;

/// The hub, and the cache of it on this machine.
pub(crate) struct Hub<'a> {
    opening: &'a Opening,
    endpoint: String,
    cache: PathBuf,
    offline: bool,
    authorization: Authorization,
    kind: Repository,
}

impl<'a> Hub<'a> {
    pub(crate) fn new(opening: &'a Opening) -> Result<Self, ModelError> {
        let of = |name: &str| (opening.environment)(name).filter(|value| !value.is_empty());
        let home = of("HF_HOME")
            .map(PathBuf::from)
            .or_else(|| of("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("huggingface")))
            .or_else(|| of("HOME").map(|home| Path::new(&home).join(".cache/huggingface")));
        let cache = of("HF_HUB_CACHE")
            .or_else(|| of("HUGGINGFACE_HUB_CACHE"))
            .map(PathBuf::from)
            .or_else(|| home.as_ref().map(|home| home.join("hub")))
            .ok_or_else(|| {
                ModelError::unusable("no folder for downloads from the hub")
                    .with_hint("set HF_HOME in the environment")
            })?;
        let is_on = |name: &str| {
            of(name).is_some_and(|value| {
                ["1", "ON", "YES", "TRUE"].contains(&value.to_uppercase().as_str())
            })
        };
        let token_file = of("HF_TOKEN_PATH")
            .map(PathBuf::from)
            .or_else(|| home.map(|home| home.join("token")));
        let token = of("HF_TOKEN")
            .or_else(|| token_file.and_then(|path| guarded::text(path).ok()))
            .and_then(|text| Key::new(&text));
        Ok(Hub {
            opening,
            endpoint: of("HF_ENDPOINT")
                .unwrap_or_else(|| "https://huggingface.co".to_owned())
                .trim_end_matches('/')
                .to_owned(),
            cache,
            offline: is_on("HF_HUB_OFFLINE") || is_on("TRANSFORMERS_OFFLINE"),
            authorization: token.map_or(Authorization::None, Authorization::Bearer),
            kind: Repository::Model,
        })
    }

    /// The folder of a snapshot; missing files are downloaded.
    pub(crate) fn folder(&self, repository: &str, revision: &str) -> Result<PathBuf, ModelError> {
        let folder = self.files_of(repository);
        if let Some(snapshot) = known_snapshot(&folder, revision)
            && is_complete(&snapshot)
        {
            return Ok(snapshot);
        }
        self.may_ask(repository, revision)?;
        self.download(repository, revision, &folder)
    }

    /// Refuses requests that cannot be sent.
    fn may_ask(&self, repository: &str, revision: &str) -> Result<(), ModelError> {
        if !is_revision(revision) {
            return Err(ModelError::unusable(format!(
                "`{revision}` is not a revision of {repository}"
            ))
            .with_hint("a revision is a branch, a tag, or a commit"));
        }
        if self.offline {
            return Err(ModelError::unusable(format!(
                    "{repository} at {revision} is not, or not wholly, in `{}`, and the hub is not asked",
                    self.cache.display()
                )).with_hint("unset HF_HUB_OFFLINE, or fetch it on a machine with a network"));
        }
        Ok(())
    }

    /// Checks that a snapshot is on this machine, or that the hub has one with weights that are read; nothing is
    /// downloaded.
    pub(crate) fn has(&self, repository: &str, revision: &str) -> Result<(), ModelError> {
        let is_here = self.fetched(repository, revision);
        if is_here.is_some_and(|snapshot| is_complete(&snapshot)) {
            return Ok(());
        }
        self.may_ask(repository, revision)?;
        self.listing(repository, revision).map(drop)
    }

    /// The folder of a snapshot that is already on this machine; no request is sent.
    pub(crate) fn fetched(&self, repository: &str, revision: &str) -> Option<PathBuf> {
        known_snapshot(&self.files_of(repository), revision)
    }

    /// The folder of a repository's files.
    fn files_of(&self, repository: &str) -> PathBuf {
        self.cache.join(format!(
            "{}--{}",
            self.kind.plural(),
            repository.replace('/', "--")
        ))
    }

    /// The commit of a revision, and its files that are needed.
    fn listing(
        &self,
        repository: &str,
        revision: &str,
    ) -> Result<(String, BTreeSet<String>), ModelError> {
        let url = format!(
            "{}/api/{}/{repository}/revision/{}",
            self.endpoint,
            self.kind.plural(),
            escaped(revision)
        );
        let response = self.get(&url)?;
        let listing: Value = serde_json::from_slice(&response.body)
            .map_err(|_| self.refused(&url, "an answer that is not JSON"))?;
        let commit = listing
            .get("sha")
            .and_then(Value::as_str)
            .filter(|sha| is_hex(sha, 40))
            .ok_or_else(|| self.refused(&url, "no commit in the answer"))?
            .to_owned();
        let files = listing.get("siblings").and_then(Value::as_array);
        let names = files
            .into_iter()
            .flatten()
            .filter_map(|file| file.get("rfilename")?.as_str());
        let wanted: BTreeSet<String> = names
            .filter(|file| self.kind.wants(file))
            .map(str::to_owned)
            .collect();
        if self.kind == Repository::Dataset && wanted.iter().all(|file| is_card(file)) {
            return Err(ModelError::unusable(format!(
                "{repository} at {commit} has no tables (Parquet, JSON, CSV or TSV)"
            ))
            .with_hint("the branch `refs/convert/parquet` has some of datasets that are loaded by a script: @refs/convert/parquet"));
        }
        let is_model = self.kind == Repository::Model;
        if is_model && !wanted.iter().any(|file| file.ends_with(".safetensors")) {
            return Err(ModelError::unusable(format!(
                "{repository} at {commit} has no weights as safetensors"
            ))
            .with_hint(
                "convert its weights with `transformers` (save_pretrained) and use local:FOLDER",
            ));
        }
        if wanted.len() > MOST_FILES {
            return Err(ModelError::unusable(format!(
                "{repository} at {commit} lists {} files to fetch, which is not a {}",
                wanted.len(),
                if is_model { "model" } else { "benchmark" }
            ))
            .with_hint("check the name of the repository"));
        }
        Ok((commit, wanted))
    }

    fn download(
        &self,
        repository: &str,
        revision: &str,
        folder: &Path,
    ) -> Result<PathBuf, ModelError> {
        let (commit, wanted) = self.listing(repository, revision)?;
        let snapshot = folder.join("snapshots").join(&commit);
        let mut bytes = 0;
        for file in wanted {
            bytes += self.file(repository, &commit, &file, folder, &snapshot)?;
            if self.kind == Repository::Dataset && bytes > MOST_BYTES {
                return Err(ModelError::unusable(format!(
                    "{repository} at {commit} has more than {} GiB of tables",
                    MOST_BYTES >> 30
                ))
                .with_hint("download the tables that are wanted, and name their folder"));
            }
        }
        if revision != commit {
            let reference = folder.join("refs").join(revision);
            make_folder_of(&reference)?;
            fs::write(&reference, &commit).map_err(|error| cannot("write", &reference, error))?;
        }
        if self.kind == Repository::Model && !is_complete(&snapshot) {
            return Err(ModelError::unusable(format!(
                "{repository} at {commit} lacks config.json or a part of its weights"
            )));
        }
        Ok(snapshot)
    }

    /// Downloads one file to its path; returns its length.
    fn file(
        &self,
        repository: &str,
        commit: &str,
        file: &str,
        folder: &Path,
        snapshot: &Path,
    ) -> Result<u64, ModelError> {
        let pointer = snapshot.join(file);
        if let Ok(known) = fs::metadata(&pointer) {
            return Ok(known.len());
        }
        let url = format!(
            "{}/{}{repository}/resolve/{commit}/{}",
            self.endpoint,
            self.kind.prefix(),
            escaped(file)
        );
        let (etag, size) = self.head(&url)?;
        if let Some(size) =
            size.filter(|&size| self.kind == Repository::Dataset && size > MOST_BYTES)
        {
            // Not fetched only to be refused.
            return Ok(size);
        }
        let blob = folder.join("blobs").join(&etag);
        make_folder_of(&blob)?;
        // The lock that `huggingface_hub` takes, too: two that fetch the same file fetch it once.
        let lock = self
            .cache
            .join(".locks")
            .join(folder.file_name().unwrap_or_default())
            .join(format!("{etag}.lock"));
        make_folder_of(&lock)?;
        let lock_file = File::create(&lock).map_err(|error| cannot("write", &lock, error))?;
        lock_file
            .lock()
            .map_err(|error| cannot("lock", &lock, error))?;
        if !blob.exists() {
            let partial = folder.join("blobs").join(format!("{etag}.incomplete"));
            self.fetch(&url, &partial, size)?;
            check(&url, &partial, &etag, size)?;
            fs::rename(&partial, &blob).map_err(|error| cannot("rename", &partial, error))?;
        }
        make_folder_of(&pointer)?;
        let up = "../".repeat(2 + file.matches('/').count());
        let target = format!("{up}blobs/{etag}");
        match std::os::unix::fs::symlink(&target, &pointer) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(cannot("write", &pointer, error))
            }
            _ => fs::metadata(&pointer)
                .map(|found| found.len())
                .map_err(|error| cannot("read", &pointer, error)),
        }
    }

    /// The hub's identifier of a file's content, and its length if it is given.
    fn head(&self, url: &str) -> Result<(String, Option<u64>), ModelError> {
        let mut url = url.to_owned();
        for _ in 0..4 {
            let mut request = Request::get(&url, &self.authorization);
            request.method = Method::Head;
            request.redirects = 0;
            request
                .headers
                .push(("accept-encoding", "identity".to_owned()));
            let response = self.send(&request)?;
            let linked = response.header("x-linked-etag");
            if (300..400).contains(&response.status)
                && linked.is_none()
                && let Some(location) = response.header("location")
                && location.starts_with('/')
            {
                // A repository that was renamed.
                url = format!("{}{location}", self.endpoint);
                continue;
            }
            let etag = linked
                .or_else(|| response.header("etag"))
                .map(|etag| etag.trim_start_matches("W/").trim_matches('"'))
                .filter(|etag| is_hex(etag, 64) || is_hex(etag, 40))
                .ok_or_else(|| self.refused(&url, "no hash of the content (ETag)"))?;
            let size = response
                .header("x-linked-size")
                .or_else(|| response.header("content-length"))
                .and_then(|size| size.parse().ok());
            return Ok((etag.to_owned(), size));
        }
        Err(self.refused(&url, "redirections without an end"))
    }

    /// Downloads a file, from the end of an earlier try.
    fn fetch(&self, url: &str, partial: &Path, size: Option<u64>) -> Result<(), ModelError> {
        let mut tries = 0;
        loop {
            if (self.opening.stop)() {
                return Err(ModelError::Interrupted);
            }
            let before = fs::metadata(partial).map_or(0, |metadata| metadata.len());
            if size == Some(before) && before > 0 {
                return Ok(());
            }
            let mut request = Request::get(url, &self.authorization);
            request.timeout = Duration::from_hours(1);
            request
                .headers
                .push(("accept-encoding", "identity".to_owned()));
            if before > 0 {
                request.headers.push(("range", format!("bytes={before}-")));
            }
            let most = size.unwrap_or(LARGEST_FILE);
            let mut written = 0;
            let mut output: Option<File> = None;
            let mut failed: Option<ModelError> = None;
            let ended =
                self.opening
                    .transport
                    .stream(&request, &mut |response: &Response, piece| {
                        if !matches!(response.status, 200 | 206) {
                            return Ok(());
                        }
                        let is_rest = response.status == 206;
                        let mut write = || -> io::Result<()> {
                            if output.is_none() {
                                output = Some(
                                    OpenOptions::new()
                                        .create(true)
                                        .write(true)
                                        .append(is_rest)
                                        .truncate(!is_rest)
                                        .open(partial)?,
                                );
                            }
                            match &mut output {
                                Some(file) => file.write_all(piece),
                                None => Ok(()),
                            }
                        };
                        written += piece.len() as u64;
                        if written > most {
                            let message = "more bytes than the file has".to_owned();
                            return Err(Broken::Impossible(message));
                        }
                        write().map_err(|error| {
                            failed = Some(cannot("write", partial, error));
                            Broken::Impossible("the disk".to_owned())
                        })?;
                        if (self.opening.stop)() {
                            failed = Some(ModelError::Interrupted);
                            return Err(Broken::Impossible("stopped".to_owned()));
                        }
                        Ok(())
                    });
            if let Some(error) = failed {
                return Err(error);
            }
            let why = match ended {
                Ok(response) if matches!(response.status, 200 | 206) => {
                    if output.is_none() && before == 0 {
                        // An empty file has no pieces.
                        File::create(partial).map_err(|error| cannot("write", partial, error))?;
                    }
                    let now = fs::metadata(partial).map_or(0, |metadata| metadata.len());
                    if size.is_none_or(|size| now >= size) {
                        return Ok(());
                    }
                    "the connection broke".to_owned()
                }
                Ok(response) if response.status == 416 => {
                    fs::remove_file(partial).map_err(|error| cannot("remove", partial, error))?;
                    "another length than before".to_owned()
                }
                Ok(response) => match response.status {
                    408 | 429 | 500..=599 => format!("status {}", response.status),
                    status => return Err(self.refused(url, &format!("status {status}"))),
                },
                Err(Broken::Impossible(why)) => return Err(self.refused(url, &why)),
                Err(broken) => broken.to_string(),
            };
            let now = fs::metadata(partial).map_or(0, |metadata| metadata.len());
            tries = if now > before { 0 } else { tries + 1 };
            if tries >= TRIES {
                return Err(self.refused(url, &why));
            }
            self.opening
                .clock
                .sleep(Duration::from_millis(500 << tries.min(6)));
        }
    }

    fn get(&self, url: &str) -> Result<Response, ModelError> {
        self.send(&Request::get(url, &self.authorization))
    }

    /// Sends a small request, again if that may help; an error status is an error here.
    fn send(&self, request: &Request) -> Result<Response, ModelError> {
        let mut tries = 0;
        loop {
            if (self.opening.stop)() {
                return Err(ModelError::Interrupted);
            }
            let why = match self.opening.transport.send(request) {
                Ok(response) => match response.status {
                    200..=399 => return Ok(response),
                    401 | 403 => {
                        return Err(self.refused(
                            &request.url,
                            "no such repository, or it is not open to everybody (HF_TOKEN)",
                        ));
                    }
                    404 => {
                        return Err(
                            self.refused(&request.url, "no such repository, revision or file")
                        );
                    }
                    408 | 429 | 500..=599 => format!("status {}", response.status),
                    status => return Err(self.refused(&request.url, &format!("status {status}"))),
                },
                Err(broken @ (Broken::Timeout | Broken::Cut(_))) => broken.to_string(),
                Err(broken) => return Err(self.refused(&request.url, &broken.to_string())),
            };
            tries += 1;
            if tries >= TRIES {
                return Err(self.refused(&request.url, &why));
            }
            self.opening
                .clock
                .sleep(Duration::from_millis(500 << tries.min(6)));
        }
    }

    fn refused(&self, url: &str, why: &str) -> ModelError {
        ModelError::remote(self
                .authorization
                .scrub(&format!("the hub at {}: {why}", public_address(url)))).with_hint("check the name and the network; with HF_HUB_OFFLINE=1 only what is on this machine is used")
    }
}

/// Returns `true` if a name is that of a branch, a tag or a commit, and so of a file below a folder.
fn is_revision(revision: &str) -> bool {
    let is_name = |part: &str| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_.+@#".contains(c);
        !part.is_empty() && part != "." && part != ".." && part.chars().all(is_plain)
    };
    revision.split('/').all(is_name)
}

/// The folder of a revision that was fetched before.
fn known_snapshot(folder: &Path, revision: &str) -> Option<PathBuf> {
    is_revision(revision).then_some(())?;
    let snapshots = folder.join("snapshots");
    if is_hex(revision, 40) {
        return Some(snapshots.join(revision));
    }
    let commit = guarded::text(folder.join("refs").join(revision)).ok()?;
    let commit = commit.trim();
    is_hex(commit, 40).then(|| snapshots.join(commit))
}

/// Returns `true` if a model can be loaded from a folder: others may have fetched its tokenizer only.
fn is_complete(snapshot: &Path) -> bool {
    if !snapshot.join("config.json").exists() {
        return false;
    }
    let index = snapshot.join("model.safetensors.index.json");
    if !index.exists() {
        let Ok(entries) = fs::read_dir(snapshot) else {
            return false;
        };
        return entries.filter_map(Result::ok).any(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "safetensors")
                && entry.path().exists()
        });
    }
    let parts = guarded::read(&index)
        .ok()
        .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let Some(map) = parts
        .as_ref()
        .and_then(|index| index.get("weight_map"))
        .and_then(Value::as_object)
    else {
        return false;
    };
    map.values()
        .filter_map(Value::as_str)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .all(|part| snapshot.join(part).exists())
}

/// Returns `true` if a file of a model is fetched: weights, tokenizer, and their configuration.
fn is_wanted(file: &str) -> bool {
    let other_formats = ["onnx", "openvino", "coreml", "gguf", "runs", "checkpoints"];
    let first = file.split('/').next().unwrap_or(file);
    let extension = file.rsplit('.').next().unwrap_or("");
    is_inside(file)
        && !other_formats.contains(&first)
        && (["json", "safetensors"].contains(&extension)
            || ["vocab.txt", "merges.txt"].contains(&file))
}

/// Returns `true` if a file of a dataset is fetched: its card and its tables.
fn is_table(file: &str) -> bool {
    let name = file.strip_suffix(".gz").unwrap_or(file);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_inside(file)
        && (is_card(file) || ["parquet", "jsonl", "json", "csv", "tsv"].contains(&ending))
        && !file.ends_with("dataset_infos.json")
}

fn is_card(file: &str) -> bool {
    file == "README.md"
}

/// Returns `true` if a file of a listing stays in the folder of its repository.
fn is_inside(file: &str) -> bool {
    file.split('/')
        .all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}

/// Returns `true` if a name is `ORG/NAME`, or `NAME` of the oldest datasets.
fn is_repository(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain);
    name.split('/').count() <= 2 && name.split('/').all(is_part)
}

/// Checks length and hash of a download; a wrong file is removed.
fn check(url: &str, partial: &Path, etag: &str, size: Option<u64>) -> Result<(), ModelError> {
    let length = fs::metadata(partial)
        .map_err(|error| cannot("read", partial, error))?
        .len();
    let mut context = if is_hex(etag, 64) {
        Context::new(&SHA256)
    } else {
        let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
        context.update(format!("blob {length}\0").as_bytes());
        context
    };
    let mut file = guarded::open(partial).map_err(|error| cannot("read", partial, error))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n = file
            .read(&mut buffer)
            .map_err(|error| cannot("read", partial, error))?;
        if n == 0 {
            break;
        }
        context.update(&buffer[..n]);
    }
    let digest = context.finish();
    let hex: Vec<String> = digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if size.is_none_or(|size| size == length) && hex.concat() == etag.to_lowercase() {
        return Ok(());
    }
    fs::remove_file(partial).map_err(|error| cannot("remove", partial, error))?;
    Err(ModelError::remote(format!(
        "the hub at {}: {length} bytes came that are not the file (its length or hash is another)",
        public_address(url)
    ))
    .with_hint("run the same command again"))
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// A path in the form of an address.
fn escaped(path: &str) -> String {
    path.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn make_folder_of(path: &Path) -> Result<(), ModelError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| cannot("make", folder, error))
}

fn cannot(action: &'static str, path: &Path, source: io::Error) -> ModelError {
    if source.kind() == io::ErrorKind::StorageFull {
        return ModelError::DiskFull {
            path: path.to_owned(),
        };
    }
    ModelError::io(action, path)(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_model_is_made_of_is_fetched() {
        for file in [
            "config.json",
            "model.safetensors",
            "1_Pooling/config.json",
            "vocab.txt",
        ] {
            assert!(is_wanted(file), "{file}");
        }
        for file in [
            "pytorch_model.bin",
            "onnx/model.json",
            "README.md",
            "../config.json",
            "a//b.json",
            "modeling.py",
        ] {
            assert!(!is_wanted(file), "{file}");
        }
    }

    #[test]
    fn a_snapshot_without_all_of_its_weights_is_not_complete() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("config.json", "{}");
        assert!(!is_complete(folder.path()));
        write(
            "model.safetensors.index.json",
            r#"{"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}"#,
        );
        write("1.safetensors", "");
        assert!(!is_complete(folder.path()));
        write("2.safetensors", "");
        assert!(is_complete(folder.path()));
    }
}
