# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.
"""The version of the package."""

VERSION = "0.1.0.dev0"
