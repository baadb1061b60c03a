"""Parts of utils/import-model."""
