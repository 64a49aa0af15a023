"""The integration tests."""
