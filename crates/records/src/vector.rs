//! The comparison of vectors, by the same three words for models, retrievers and recipes.

words! {
    /// The comparison of two vectors; higher scores are nearer.
    #[derive(Default)]
    pub enum VectorSimilarity {
        /// By the angle between them.
        #[default]
        Cosine = "cosine",
        /// By their product.
        Dot = "dot",
        /// By the distance between them, negative.
        Euclid = "euclid",
    }
}
