"""Fields of forms that have none in them: boxes from a file, or proposed and drawn in the browser."""
