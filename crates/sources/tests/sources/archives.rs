//! Archives, made here: those that people release, and those that nobody should unpack.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use barecode_records::Reason;
use barecode_sources::{Content, Source, origin, readable};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{EntryType, Header};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use crate::{LARGEST, config};

/// What a header says, whatever `tar` itself would refuse to write.
fn header(path: &str, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    let name = &mut header.as_old_mut().name;
    name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(size);
    header.set_mtime(0);
    header.set_cksum();
    header
}

/// A tar of files (`Regular`), links and the like, whose text is then where they lead.
fn tarball(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for &(path, kind, bytes) in entries {
        if kind.is_symlink() || kind.is_hard_link() {
            let mut header = header(path, kind, 0);
            let to = std::str::from_utf8(bytes).unwrap();
            header.set_link_name_literal(to).unwrap();
            header.set_cksum();
            archive.append(&header, std::io::empty()).unwrap();
        } else {
            let header = header(path, kind, bytes.len() as u64);
            archive.append(&header, bytes).unwrap();
        }
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn zipped(path: &Path, entries: &[(&str, &[u8])]) {
    let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in entries {
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
}

fn resolve(name: &str, bytes: &[u8]) -> Result<Source, barecode_sources::SourceError> {
    let base = TempDir::new().unwrap();
    fs::write(base.path().join(name), bytes).unwrap();
    Source::resolve(&config(&format!("archive:{name}")), base.path())
}

fn paths(source: &Source) -> Vec<&str> {
    source.files().keys().map(String::as_str).collect()
}

fn aside(source: &Source, path: &str) -> (Reason, String) {
    match &source.files()[path].content {
        Content::Aside(reason, detail) => (*reason, detail.clone()),
        content => panic!("{path}: {content:?}"),
    }
}

const FILE: EntryType = EntryType::Regular;
const ADD: &[u8] = b"int add(int a, int b) { return a + b; }\n";

#[test]
fn a_release_is_mined_without_the_folder_at_its_top() {
    let global = b"52 comment=0123456789abcdef0123456789abcdef01234567\n";
    let tar = tarball(&[
        ("pax_global_header", EntryType::XGlobalHeader, global),
        ("lib-1.0/", EntryType::Directory, b""),
        ("lib-1.0/src/add.c", FILE, ADD),
        ("lib-1.0/README", FILE, b"x"),
        ("lib-1.0/LICENSE", FILE, b"SPDX-License-Identifier: Zlib\n"),
    ]);
    for (name, bytes) in [
        ("a.tar.gz", gzip(&tar)),
        ("a.TGZ", gzip(&tar)),
        ("a.tar", tar.clone()),
    ] {
        let source = resolve(name, &bytes).unwrap();
        assert_eq!(paths(&source), ["src/add.c"], "{name}");
        let commit = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(source.commit(), Some(commit));
        let origin = origin(&source, "src/add.c", 1, 1);
        assert_eq!(origin.license.as_deref(), Some("Zlib"));
        assert_eq!(origin.license_from.as_deref(), Some("LICENSE"));
    }
}

#[test]
fn a_zip_is_read_like_a_tar() {
    let base = TempDir::new().unwrap();
    let entries: &[(&str, &[u8])] = &[("top/a.c", ADD), ("top/sub/b.h", b"int b;\n")];
    zipped(&base.path().join("a.zip"), entries);
    let source = Source::resolve(&config("archive:a.zip"), base.path()).unwrap();
    assert_eq!(paths(&source), ["a.c", "sub/b.h"]);
    assert_eq!(
        source.files()["a.c"].content,
        Content::Bytes(ADD.to_vec().into())
    );
}

#[test]
fn files_at_the_top_keep_their_folders() {
    let tar = tarball(&[("lib/a.c", FILE, ADD), ("b.c", FILE, ADD)]);
    assert_eq!(paths(&resolve("a.tar", &tar).unwrap()), ["b.c", "lib/a.c"]);
}

#[test]
fn what_would_leave_its_folder_is_counted_and_stays() {
    let outside = TempDir::new().unwrap();
    let target = outside.path().join("evil.c");
    let absolute = target.display().to_string();
    let tar = tarball(&[
        ("lib/a.c", FILE, ADD),
        ("../up.c", FILE, ADD),
        ("lib/x/../../../up2.c", FILE, ADD),
        (&absolute, FILE, ADD),
        ("lib/out.c", EntryType::Symlink, b"/etc/passwd"),
        ("lib/hard.c", EntryType::Link, b"lib/a.c"),
        ("lib/null.c", EntryType::Char, b""),
        ("lib/pipe", EntryType::Fifo, b""),
    ]);
    let source = resolve("a.tar.gz", &gzip(&tar)).unwrap();
    assert_eq!(aside(&source, "../up.c").0, Reason::EntryUnsafe);
    assert_eq!(
        aside(&source, "lib/x/../../../up2.c").0,
        Reason::EntryUnsafe
    );
    assert_eq!(aside(&source, &absolute).0, Reason::EntryUnsafe);
    let link = (Reason::FileIsLink, "to `/etc/passwd`".to_owned());
    assert_eq!(aside(&source, "out.c"), link);
    assert_eq!(aside(&source, "hard.c").1, "to `lib/a.c`");
    assert_eq!(aside(&source, "null.c").0, Reason::EntryUnsafe);
    assert_eq!(aside(&source, "pipe").0, Reason::EntryUnsafe);
    assert!(!target.exists());
    let files = readable(&source, LARGEST);
    assert_eq!(files.of("files").kept, 1);
    assert!(files.balances());

    let base = TempDir::new().unwrap();
    let entries: &[(&str, &[u8])] = &[("../up.c", ADD), ("lib/a.c", ADD)];
    zipped(&base.path().join("a.zip"), entries);
    let source = Source::resolve(&config("archive:a.zip"), base.path()).unwrap();
    assert_eq!(aside(&source, "../up.c").0, Reason::EntryUnsafe);
    assert!(source.files().contains_key("a.c"));
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    // A gigabyte of zeros in a megabyte, before the first file.
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    let size = 1_u64 << 30;
    writer
        .write_all(header("zeros.bin", FILE, size).as_bytes())
        .unwrap();
    let block = vec![0; 1 << 20];
    for _ in 0..1024 {
        writer.write_all(&block).unwrap();
    }
    let bytes = writer.finish().unwrap();
    assert!(bytes.len() < 2 << 20, "{}", bytes.len());
    let error = resolve("a.tar.gz", &bytes).unwrap_err();
    assert_eq!(error.reason(), Some(Reason::SourceTooLarge), "{error}");
    assert!(
        error.to_string().contains("it unpacks to more than"),
        "{error}"
    );
}

#[test]
fn a_zip_that_unpacks_to_too_much_is_refused() {
    let base = TempDir::new().unwrap();
    let zeros = vec![b' '; 33 << 20];
    let entries: &[(&str, &[u8])] = &[("a.c", &zeros), ("b.c", &zeros), ("c.c", &zeros)];
    zipped(&base.path().join("a.zip"), entries);
    let error = Source::resolve(&config("archive:a.zip"), base.path()).unwrap_err();
    assert_eq!(error.reason(), Some(Reason::SourceTooLarge), "{error}");
}

#[test]
fn a_file_that_claims_to_be_huge_is_not_read() {
    let mut bytes = header("a.c", FILE, 1 << 40).as_bytes().to_vec();
    bytes.extend_from_slice(&[b' '; 1024]);
    let error = resolve("a.tar", &bytes);
    // It ends too early for what it claims; whatever is said, nothing of that size is made.
    assert!(error.is_err() || error.is_ok_and(|source| source.files().len() == 1));
}

#[test]
fn a_damaged_archive_is_told_from_one_that_is_not_there() {
    let tar = tarball(&[("lib/a.c", FILE, &vec![b' '; 100_000])]);
    let packed = gzip(&tar);
    let cut = resolve("a.tar.gz", &packed[..packed.len() / 2]).unwrap_err();
    assert_eq!(cut.reason(), Some(Reason::SourceCorrupt), "{cut}");
    let none = resolve("a.tar.gz", b"not an archive").unwrap_err();
    assert_eq!(none.reason(), Some(Reason::SourceCorrupt), "{none}");
    let no_zip = resolve("a.zip", b"not an archive").unwrap_err();
    assert_eq!(no_zip.reason(), Some(Reason::SourceCorrupt), "{no_zip}");
    let base = TempDir::new().unwrap();
    let gone = Source::resolve(&config("archive:gone.zip"), base.path()).unwrap_err();
    assert_eq!(gone.reason(), Some(Reason::SourceUnreachable), "{gone}");
    let kind = resolve("a.rar", b"").unwrap_err();
    assert!(
        kind.to_string()
            .contains("`.tar.gz`, `.tgz`, `.tar`, `.zip`"),
        "{kind}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bytes of a stranger end in a source or in an error, never in a panic.
    #[test]
    fn arbitrary_bytes_are_a_source_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..3_000),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut tar = tarball(&[("lib/a.c", FILE, ADD), ("lib/b.c", EntryType::Symlink, b"a.c")]);
        let mut packed = gzip(&tar);
        let base = TempDir::new().unwrap();
        zipped(&base.path().join("good.zip"), &[("lib/a.c", ADD), ("b.h", ADD)]);
        let mut zip = fs::read(base.path().join("good.zip")).unwrap();
        for (at, byte) in &flips {
            for archive in [&mut tar, &mut packed, &mut zip] {
                let at = at.index(archive.len());
                archive[at] = *byte;
            }
        }
        for (name, content) in [
            ("a.tar", &bytes), ("a.tar.gz", &bytes), ("a.zip", &bytes),
            ("b.tar", &tar), ("b.tar.gz", &packed), ("b.zip", &zip),
        ] {
            if let Ok(source) = resolve(name, content) {
                let files = readable(&source, LARGEST);
                prop_assert!(files.balances());
            }
        }
    }
}
