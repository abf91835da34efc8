# Generated from _async/__init__.py by scripts/generate-client.ts: npm run client:types.
"""The synchronous client."""
