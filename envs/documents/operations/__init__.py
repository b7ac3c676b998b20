"""Operations on documents: each makes another document, or says what is wrong and leaves it as it is."""
