/** Codes of prices and wallets of end users. */
export const RESALE_CODES = {
  END_USER_CREDIT_SPENT: {
    status: 402,
    retryable: false,
    cause: "The wallet of the turn's end user has less available credit than the turn can be charged.",
    cure: "Let the end user pay, then add the credit with POST /v1/end-users/{end_user_ref}/credits.",
  },
  PRICE_IN_USE: {
    status: 409,
    retryable: false,
    cause: "An end user, an API key or the account names the price.",
    cure: "Give them another price first. `details` says how many there are.",
  },
} as const
