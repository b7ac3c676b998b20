"""Generated scans: clean pages with typed facts, degraded like real scans."""
