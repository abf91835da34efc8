/** Where the limit of a cap is set. */
export const CAP_SOURCES = ["key", "end_user", "account", "plan", "space", "default"] as const
export type CapSource = (typeof CAP_SOURCES)[number]

interface CapDeclaration {
  /** Whose spend it limits. */
  subject: "key" | "end_user" | "account" | "members"
  period: "day" | "month" | "window"
  /**
   * Where its limit is set, the first source with a limit first: a column of `api_keys`, `end_users`, `wallets` or
   * `spaces`, the field of a plan, or the name of a setting.
   */
  limits: Partial<Record<CapSource, string>>
  /** Its name as it appears in a sentence. */
  words: string
  /** How it is set. */
  setBy: string
}

const END_USER_SET_BY =
  "`PUT /v1/end-users/{end_user_ref}/limits`, else the key's `caps`, else `PUT /api/account/limits`"

/**
 * All caps (docs/architecture/quotas.md). `scripts/cap-lists.ts` writes the procedures that depend on this list: the
 * limits, the check whether any cap can bind a turn, and the counters.
 */
export const CAPS = {
  key_daily: {
    subject: "key",
    period: "day",
    limits: { key: "daily_credit_micros" },
    words: "the key's daily cap",
    setBy: "`caps.daily_usd` of the key",
  },
  key_monthly: {
    subject: "key",
    period: "month",
    limits: { key: "monthly_credit_micros" },
    words: "the key's monthly cap",
    setBy: "`caps.monthly_usd` of the key",
  },
  key_window: {
    subject: "key",
    period: "window",
    limits: { key: "window_credit_micros" },
    words: "the cap of the key's window",
    setBy: "`caps.window_usd` and `caps.window_seconds` of the key",
  },
  end_user_daily: {
    subject: "end_user",
    period: "day",
    limits: {
      end_user: "daily_limit_credit_micros",
      key: "end_user_daily_credit_micros",
      account: "end_user_daily_credit_micros",
    },
    words: "the end user's daily limit",
    setBy: END_USER_SET_BY,
  },
  end_user_monthly: {
    subject: "end_user",
    period: "month",
    limits: {
      end_user: "monthly_limit_credit_micros",
      key: "end_user_monthly_credit_micros",
      account: "end_user_monthly_credit_micros",
    },
    words: "the end user's monthly limit",
    setBy: END_USER_SET_BY,
  },
  account_daily: {
    subject: "account",
    period: "day",
    limits: { plan: "daily_cap_usd" },
    words: "the daily cap of the account's plan",
    setBy: "`daily_cap_usd` of the account's plan",
  },
  members_daily: {
    subject: "members",
    period: "day",
    limits: { space: "members_daily_credit_micros", default: "members_daily_credit_micros" },
    words: "the daily limit of the space's members",
    setBy: "`PUT /api/account/spaces/{space_id}/members-limit`, else the setting `members_daily_credit_micros`",
  },
} as const satisfies Record<string, CapDeclaration>

export type CapName = keyof typeof CAPS

export type DeclaredCaps = Record<string, CapDeclaration>

export const CAP_NAMES = Object.keys(CAPS) as [CapName, ...CapName[]]

export const CAP_WORDS = Object.fromEntries(Object.entries(CAPS).map(([name, { words }]) => [name, words])) as Record<
  CapName,
  string
>
