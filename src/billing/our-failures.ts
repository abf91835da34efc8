/** With these codes a failed turn is our failure: it is billed nothing (design section 3), or refunded by itself. */
export const OUR_FAILURES = ["INTERNAL", "ENGINE_LOST", "MODEL_UNAVAILABLE"] as const

export const isOurFailure = (code: string): boolean => (OUR_FAILURES as readonly string[]).includes(code)
