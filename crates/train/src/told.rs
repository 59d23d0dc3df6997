//! Code → code told in plain words, as the structural retriever renders it.
//!
//! A text without names in it is hardly anything that a model for English has read before; told what goes in and out,
//! what is called and which constructs there are, it has something to learn from. What is trained on told texts must be
//! evaluated on told texts: `barecode eval --told`.

use barecode_structural::render;
use rayon::prelude::*;

use crate::pairs::Pairs;

impl Pairs {
    /// Tells positives and negatives in plain words; anchors stay. Texts are read as C, C++, assembly or WebAssembly,
    /// whichever they look like.
    ///
    /// Comes after [`Pairs::exclude`], which compares texts as they are.
    pub fn tell(&mut self) {
        let pairs = self.train.par_iter_mut().chain(&mut self.dev);
        pairs.for_each(|pair| {
            for text in pair.negatives.iter_mut().chain([&mut pair.positive]) {
                *text = render(text).told();
            }
        });
    }
}
