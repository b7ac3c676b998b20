"""Language: find elements by descriptions, and read requests as operations; the words are ``lexicon.json``."""
