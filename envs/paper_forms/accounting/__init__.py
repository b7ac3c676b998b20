"""The database that forms are filled in from: how it is made, asked, and what answers it gives."""
