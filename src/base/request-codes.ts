/** Codes for the encoding and the preconditions of requests. */
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
} as const
