//! The tables of a study's file. docs/src/reference/studies.md describes them.

use barecode_store::Format;

/// The format of a study's file.
pub(crate) const FORMAT: Format = Format {
    application: *b"BcSt",
    version: 1,
    tables: TABLES,
    is_durable: true,
    if_damaged: "take the last copy or export of the study",
    if_other_version: "use the version of barecode that made it",
};

/// The answers that count: of each rater and item the one that was given last, whenever it was brought.
pub(crate) const CURRENT: &str = "(SELECT * FROM answers AS a WHERE seq =
    (SELECT seq FROM answers AS b WHERE b.rater = a.rater AND b.item = a.item ORDER BY at DESC, seq DESC LIMIT 1))";

const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE items (
    item INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    subset TEXT NOT NULL,
    language TEXT NOT NULL,
    code TEXT NOT NULL,
    context TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL
);
CREATE TABLE raters (rater INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token BLOB NOT NULL);
CREATE TABLE assignments (
    rater INTEGER NOT NULL REFERENCES raters,
    position INTEGER NOT NULL,
    item INTEGER NOT NULL REFERENCES items,
    first_is_left INTEGER NOT NULL CHECK (first_is_left IN (0, 1)),
    PRIMARY KEY (rater, position),
    UNIQUE (rater, item)
) WITHOUT ROWID;
CREATE TABLE answers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rater INTEGER NOT NULL,
    item INTEGER NOT NULL,
    answer TEXT NOT NULL,
    at TEXT NOT NULL,
    how TEXT NOT NULL CHECK (how IN ('page', 'import')),
    key TEXT UNIQUE,
    FOREIGN KEY (rater, item) REFERENCES assignments (rater, item)
);
CREATE INDEX answers_of ON answers (rater, item, seq);
CREATE TABLE sessions (secret BLOB PRIMARY KEY, rater INTEGER NOT NULL REFERENCES raters) WITHOUT ROWID;
CREATE TRIGGER answers_stay BEFORE UPDATE ON answers BEGIN SELECT raise(ABORT, 'answers are never changed'); END;
CREATE TRIGGER answers_remain BEFORE DELETE ON answers BEGIN SELECT raise(ABORT, 'answers are never removed'); END;
";
