"""The studio's pages, each put together of panels."""
