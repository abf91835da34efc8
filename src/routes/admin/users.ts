import * as z from "zod"
import { type ListedUser, listedUserSchema, listUsers, readUsers, USER_SORTS } from "../../analytics/list-users.ts"
import { ENERGY_RATE } from "../../base/money.ts"
import { LIST_POLICY } from "../../base/policies.ts"
import { BUCKET_NAMES, LEDGER_REASONS } from "../../billing/buckets.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvInParts, csvQuery } from "../../http/csv.ts"
import { madeOf } from "../../http/idempotency.ts"
import {
  booleanParam,
  brandParam,
  createdQuery,
  daysQuery,
  listOf,
  listQuery,
  listQueryUpTo,
  numberParam,
} from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  CREATE_ACCOUNT_ERRORS,
  createAccount,
  createUserSchema,
  SET_CREDENTIALS_ERRORS,
  setCredentials,
  setCredentialsSchema,
} from "../../sign-in/create-account.ts"
import { tellingEmail } from "../../sign-in/notices.ts"
import { resetFactor } from "../../sign-in/second-factor.ts"
import { adminUserSchema } from "../../users/admin-user.ts"
import { type AdminLedgerEntry, getEnergy, readLedger, userEnergySchema } from "../../users/get-energy.ts"
import { getUser, userDetailSchema } from "../../users/get-user.ts"
import { listUserSpaces, userSpaceSchema } from "../../users/list-user-spaces.ts"
import { endUserSessions, UPDATE_USER_ERRORS, updateUser, updateUserSchema } from "../../users/update-user.ts"

const tag = "admin"
const params = z.object({ user_id: numberParam.meta({ example: 42 }) })

const CSV: CsvColumns<ListedUser> = {
  user_id: (user) => user.user_id,
  name: (user) => user.name,
  email: (user) => user.email,
  email_verified: (user) => user.email_verified,
  messenger_id: (user) => user.messenger_id,
  role: (user) => user.role,
  brand: (user) => user.brand,
  balance_usd: (user) => user.balance_usd,
  created_at: (user) => user.created_at,
  disabled_at: (user) => user.disabled_at,
  last_seen_at: (user) => user.last_seen_at,
  spend_usd: (user) => user.spend_usd,
  refunded_usd: (user) => user.refunded_usd,
  net_usd: (user) => user.net_usd,
}

const LEDGER_CSV: CsvColumns<AdminLedgerEntry> = {
  ledger_id: (entry) => entry.ledger_id,
  created_at: (entry) => entry.created_at,
  reason: (entry) => entry.reason,
  bucket: (entry) => entry.bucket,
  amount_credit_micros: (entry) => entry.amount_credit_micros,
  amount_usd: (entry) => entry.amount_usd,
  currency: (entry) => entry.currency,
  currency_amount_minor: (entry) => entry.currency_amount_minor,
  balance_after_credit_micros: (entry) => entry.balance_after_credit_micros,
  balance_after_usd: (entry) => entry.balance_after_usd,
  turn_id: (entry) => entry.turn_id,
  actor: (entry) => entry.actor,
  note: (entry) => entry.note,
}

export function mountUsers(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/users",
      id: "listUsers",
      tag,
      summary: "List users",
      description:
        "Newest first by default. Users with equal sort values are ordered by id, and users without a session come last.",
      query: z.strictObject({
        q: z.string().max(200).optional().meta({
          description:
            "A part of the name, the email, the id on the messaging platform, or the user id. Case does not matter.",
        }),
        role: z.string().max(64).optional().meta({ description: "`user` or `admin`. Any other role has no users." }),
        disabled: booleanParam
          .optional()
          .meta({ description: "`true`: only disabled users; `false`: only active ones." }),
        brand: brandParam,
        plan: z.string().min(1).max(32).optional().meta({
          description: "Only users with an active subscription to this plan.",
        }),
        created_after: createdQuery.created_after.meta({ description: "Only users created at or after this time." }),
        created_before: createdQuery.created_before.meta({ description: "Only users created before this time." }),
        sort: z.enum(USER_SORTS).default("created").meta({
          description: "`created`: by id. `balance`, `last_seen`, `spend`: by these fields of the response.",
        }),
        direction: z.enum(["asc", "desc"]).default("desc"),
        ...listQueryUpTo(2000),
        ...csvQuery,
      }),
      answer: { status: 200, description: "A page of users.", schema: listOf(listedUserSchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { limit, offset, format, sort, direction, ...search } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      const asked = { search, order: { sort, direction } }
      if (format === "csv") {
        const { parts } = await readUsers(ctx, session, { ...asked, page: { limit: LIST_POLICY.file, offset: 0 } })
        return csvInParts(c, "users", CSV, parts)
      }
      return { ...(await listUsers(ctx, session, { ...asked, page: { limit, offset } })), limit, offset }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/users",
      id: "createUser",
      tag,
      summary: "Create a user",
      description:
        "Creates an account with an empty wallet. It has an email, an identity on the messaging platform, or both.",
      idempotent: "replayed",
      versioned: "shown",
      body: createUserSchema,
      answer: { status: 200, description: "The user.", schema: adminUserSchema },
      errors: CREATE_ACCOUNT_ERRORS,
    },
    async (c, { body, once }) => madeOf(c, await createAccount(c.get("ctx"), sessionOf(c), body, once)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/users/{user_id}",
      id: "getUser",
      tag,
      summary: "Read a user",
      description: "The user with identities, sessions, wallet, plan, teams, workspaces, referral, and spending.",
      versioned: "shown",
      params,
      answer: { status: 200, description: "The user.", schema: userDetailSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { user_id } }) => getUser(c.get("ctx"), sessionOf(c), user_id),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/users/{user_id}",
      id: "updateUser",
      tag,
      summary: "Edit a user",
      description:
        "Changes the fields that you send; null clears a field. A new role, and disabling the account, apply from the next request on.",
      versioned: "checked",
      params,
      body: updateUserSchema,
      answer: { status: 200, description: "The current user.", schema: adminUserSchema },
      errors: UPDATE_USER_ERRORS,
    },
    async (c, { params: { user_id }, body, ifVersion }) => {
      const ctx = c.get("ctx")
      return tellingEmail(ctx, { userId: user_id, email: body.email }, () =>
        updateUser(ctx, sessionOf(c), user_id, { update: body, ifVersion }),
      )
    },
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/users/{user_id}/credentials",
      id: "setUserCredentials",
      tag,
      summary: "Set a user's login",
      description:
        "Sets the email, the password, or both. All sessions of the user end, and all tokens that could open a session become " +
        "invalid. The password is never shown, and is not in the audit log.",
      versioned: "checked",
      params,
      body: setCredentialsSchema,
      answer: { status: 200, description: "The current user.", schema: adminUserSchema },
      errors: SET_CREDENTIALS_ERRORS,
    },
    async (c, { params: { user_id }, body, ifVersion }) =>
      setCredentials(c.get("ctx"), sessionOf(c), user_id, { login: body, ifVersion }),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/users/{user_id}/sessions",
      id: "endUserSessions",
      tag,
      summary: "End all sessions of a user",
      description:
        "The sessions are rejected from their next request on, and all tokens that could open a session become invalid.",
      params,
      answer: {
        status: 200,
        description: "The sessions have ended.",
        schema: z.object({
          ended: z.int().meta({ description: "The number of sessions that were valid.", example: 2 }),
        }),
      },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { user_id } }) => endUserSessions(c.get("ctx"), sessionOf(c), user_id),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/users/{user_id}/second-factor",
      id: "resetSecondFactor",
      tag,
      summary: "Remove a user's second factor",
      description: "For a user who has lost the authenticator app and the recovery codes. Their sessions stay open.",
      params,
      answer: { status: 200, description: "The second factor is removed.", schema: z.object({ ok: z.literal(true) }) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { user_id } }) => resetFactor(c.get("ctx"), sessionOf(c), user_id),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/users/{user_id}/spaces",
      id: "listUserSpaces",
      tag,
      summary: "List a user's spaces",
      description:
        "All spaces that the user owns or is a member of. Their own spaces come first, and each group is sorted newest first.",
      params,
      query: z.strictObject(listQueryUpTo(2000, 2000)),
      answer: { status: 200, description: "A page of spaces.", schema: listOf(userSpaceSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { user_id }, query: { limit, offset } }) => {
      const { spaces, total } = await listUserSpaces(c.get("ctx"), sessionOf(c), { userId: user_id, limit, offset })
      return { items: spaces, total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/users/{user_id}/energy",
      id: "getUserEnergy",
      tag,
      summary: "Read a user's energy",
      description:
        `The balance, totals by bucket, a daily series, and the ledger in pages. ${ENERGY_RATE}. \`reason\` and \`bucket\` filter the ledger. With \`format=csv\`, the response ` +
        "is the whole ledger as a CSV file.",
      params,
      query: z.strictObject({
        ...daysQuery(365),
        reason: z.enum(LEDGER_REASONS).optional(),
        bucket: z.enum(BUCKET_NAMES).optional().meta({ description: "Only entries of the ledger in this bucket." }),
        ...listQuery,
        ...csvQuery,
      }),
      answer: { status: 200, description: "The user's energy.", schema: userEnergySchema, also: CSV_ANSWER },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { user_id: userId }, query: { format, reason, bucket, ...query } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "ledger", LEDGER_CSV, ({ limit, after }) =>
          readLedger(ctx, session, { userId, filters: { reason, bucket, before_id: after?.ledger_id }, limit }),
        )
      return getEnergy(ctx, session, { userId, filters: { reason, bucket }, ...query })
    },
  )
}
