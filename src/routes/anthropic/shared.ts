export const ANTHROPIC_TAG = "Anthropic"

/** The headers of all operations, for the documentation. */
export const KEY_HEADERS = [
  {
    name: "X-Api-Key",
    required: false,
    description: "The API key, as Anthropic's clients send it. It counts if there is no header Authorization.",
    example: "turnpike_live_…",
  },
  {
    name: "Anthropic-Version",
    required: false,
    description: "Ignored, as is Anthropic-Beta: there is one version.",
    example: "2023-06-01",
  },
]
