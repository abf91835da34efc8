/** The codes of the table (./errors.ts) that only operations for admins have. */
export const ADMIN_CODES = {
  ADMIN_REQUIRED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The operation is for admins, and the signed-in user is not an admin.",
    cure: "Ask an admin.",
  },
  LAST_ADMIN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The change would leave no admin who can sign in.",
    cure: "Make another user an admin first.",
  },
  EMAIL_TAKEN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "Another account has this email.",
    cure: "Choose another email, or change the other account's first.",
  },
  EMAIL_REQUIRED: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The account has no email, so nobody could sign in with a password.",
    cure: "Send an email too.",
  },
  LAST_ENABLED_MODEL: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The change would leave no enabled model in the catalog.",
    cure: "Enable another model first.",
  },
  ALREADY_MEMBER: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The user is a member already.",
    cure: "See the list of members.",
  },
  IF_MATCH_INVALID: {
    status: 400,
    retryable: false,
    dashboard: true,
    cause: "The If-Match header is not one entity tag in quotes, nor `*`.",
    cure: 'Send the `ETag` of the last answer, such as `"3"`, or leave the header out.',
  },
  VERSION_MISMATCH: {
    status: 412,
    retryable: false,
    dashboard: true,
    cause: "Somebody has changed it since the version that If-Match names. Nothing was written.",
    cure: "`details.current` has it as it is now: look at what changed, and send the edit again with its `version`.",
  },
} as const
