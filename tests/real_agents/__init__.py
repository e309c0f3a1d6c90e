"""Agents that other people wrote, driven as a user drives them: a real kernel, the public API, a scripted model."""
