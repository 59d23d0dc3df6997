//! The program as a user meets it: one module a command or a kind of misfortune.
//!
//! Every test runs the real binary on a copy of `testdata/repos/shelf` in a folder of its own. Tests that need a
//! right the machine does not give say so on stderr and pass.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod project;

mod book;
mod board;
mod build;
mod sources;
mod stages;
mod shares;
mod neighbors;
mod headers;
mod stats;
mod audit;
mod list;
mod apart;
mod verify;
mod versions;
mod pipes;
mod show;
mod formats;
mod doctor;
mod help;
mod shift;
mod paired;
mod pairs;
mod study;
mod served;
mod study_server;
mod study_pages;
mod report_pages;
mod compare_pages;
mod dense;
mod eval;
mod suite;
mod train;
mod trial;
mod written;
mod programs;
mod alternates;
mod published_bugs;
mod python;
mod languages;
mod r_scripts;
mod evaluated;
mod cache;
mod minilm;
mod bad_models;
mod recipe;
mod bad_input;
mod score_files;
mod full_disk;
mod interrupted;
