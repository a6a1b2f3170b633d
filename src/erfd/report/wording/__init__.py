"""The words of people in every language: the catalogue, and sentences made of it."""
