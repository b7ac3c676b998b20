"""FormGym/Database: the accounting database, its generator, its queries and the answers of forms."""
