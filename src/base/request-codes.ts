/** Codes for the encoding, the preconditions and the rate of requests. */
export const REQUEST_CODES = {
  INVALID_ENCODING: {
    status: 400,
    retryable: false,
    cause: "A header, or the name of a file in a form, is not UTF-8.",
    cure: "Encode it as UTF-8. The message names the place of the first wrong byte, or the header.",
  },
  IF_MATCH_INVALID: {
    status: 400,
    retryable: false,
    cause: "The If-Match header is neither `*` nor entity tags in quotes.",
    cure: 'Send the `ETag` of the last response, such as `"3"`, or leave the header out.',
  },
  VERSION_MISMATCH: {
    status: 412,
    retryable: false,
    cause: "Another request has changed the object since the version in If-Match. Nothing was written.",
    cure: "Read the object again, or take it from `details.current`. Then send your change with its `ETag`.",
  },
  TOO_MANY_UNKNOWN_KEYS: {
    status: 429,
    retryable: true,
    cause: "Many requests from this IP address had API keys that do not exist.",
    cure:
      "Find the program that sends such a key, and replace the key. Valid keys are served. If one is refused because many " +
      "requests came at once, send the request again after `Retry-After` seconds.",
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    cause:
      "The rate of the key or of the end user is reached: turns or input tokens in a minute, or turns at the same time.",
    cure:
      "Wait `Retry-After` seconds and send the same request again, or raise the rate. `details` names the limit. The headers " +
      "`RateLimit` and `RateLimit-Policy` show how much is left.",
  },
} as const
