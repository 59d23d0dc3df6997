//! The front end beside tools that read C and C++ in other ways: universal-ctags and libclang.
mod asked;
mod ctags;
