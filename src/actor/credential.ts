/** A well-formed API key that nobody has looked up yet: a claim, not an identity. */
export interface KeyCredential {
  kind: "key"
  /** SHA-256 of the whole value, lower-case hex. */
  hash: string
  test: boolean
}

/** A session that a signed cookie names: whether it goes on is for its row to say. */
export interface SessionCredential {
  kind: "session"
  sessionId: string
  /** Whether its owner asks for test data, as a test key would, or for live data. */
  test: boolean
}

/** Who asks, as far as a request can say it: what every verb takes, and `find_caller` looks up. */
export type Credential = KeyCredential | SessionCredential
