"""The studio's words in every language: the catalogue, and sentences made of it."""
