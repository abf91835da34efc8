"""The asynchronous client. The synchronous one in ``_sync`` is generated from it: npm run client:types."""
