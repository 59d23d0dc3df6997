//! How vectors are compared: what models, retrievers and recipes name by the same three words.

words! {
    /// How vectors are compared; higher scores are nearer.
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
