"""FormGym/Database: fill in forms from an accounting database by SQL queries."""
