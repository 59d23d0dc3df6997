//! Closed sets of words: enums whose variants have one name each, the same in files, columns, recipes and messages.

/// Declares an enum by its variants and their words. It has [`ALL`](crate::Split::ALL) of them in order, is written
/// and read as its word, and has a `name`.
///
/// ```
/// barecode_records::words! {
///     /// Which side.
///     pub enum Side {
///         /// What is asked.
///         Query = "query",
///         /// What is searched.
///         Document = "document",
///     }
/// }
/// assert_eq!(Side::named("document"), Some(Side::Document));
/// assert_eq!(Side::ALL.map(Side::name).join(", "), "query, document");
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $public:vis enum $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(::serde::Serialize, ::serde::Deserialize)]
        $public enum $name {
            $($(#[$of])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// The word, as files and columns have it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The variant of this word.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == word)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
