import * as z from "zod"
import { ENERGY_RATE } from "../../base/money.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { booleanParam, daysQuery, listOf, listQuery, listQueryUpTo, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { createAccount, createUserSchema, setCredentials, setCredentialsSchema } from "../../sign-in/create-account.ts"
import { tellingEmail } from "../../sign-in/notices.ts"
import { resetFactor } from "../../sign-in/second-factor.ts"
import { type AdminUser, adminUserSchema } from "../../users/admin-user.ts"
import { type AdminLedgerEntry, getEnergy, readLedger, userEnergySchema } from "../../users/get-energy.ts"
import { getUser, userDetailSchema } from "../../users/get-user.ts"
import { listUserSpaces, userSpaceSchema } from "../../users/list-user-spaces.ts"
import { listUsers } from "../../users/list-users.ts"
import { endUserSessions, updateUser, updateUserSchema } from "../../users/update-user.ts"

const tag = "admin"
const params = z.object({ user_id: numberParam.meta({ example: 42 }) })

const CSV: CsvColumns<AdminUser> = {
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
      description: "Newest first.",
      query: z.strictObject({
        q: z.string().max(200).optional().meta({
          description: "A part of the name, the email, the id on the messaging platform or the id, in whatever case.",
        }),
        role: z.string().max(64).optional().meta({ description: "`user` or `admin`. Any other role has no users." }),
        disabled: booleanParam
          .optional()
          .meta({ description: "`true`: only disabled users; `false`: only active ones." }),
        ...listQueryUpTo(2000),
        ...csvQuery,
      }),
      answer: { status: 200, description: "A page of users.", schema: listOf(adminUserSchema), also: CSV_ANSWER },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { limit, offset, format, ...search } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "users", CSV, async ({ limit, after }) => {
          const earlier = { ...search, before_id: after?.user_id }
          return (await listUsers(ctx, session, { search: earlier, limit, offset: 0 })).users
        })
      const { users, total } = await listUsers(ctx, session, { search, limit, offset })
      return { items: users, total, limit, offset }
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
        "An account with an empty wallet, and with an email, an identity on the messaging platform, or both.",
      versioned: "shown",
      body: createUserSchema,
      answer: { status: 200, description: "The user.", schema: adminUserSchema },
      errors: ["ADMIN_REQUIRED", "EMAIL_TAKEN", "IDENTITY_TAKEN"],
    },
    async (c, { body }) => createAccount(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/users/{user_id}",
      id: "getUser",
      tag,
      summary: "Read a user",
      description:
        "With their identities, sessions, wallet, plan, teams, workspaces, referral, and what they have spent.",
      versioned: "shown",
      params,
      answer: { status: 200, description: "The user.", schema: userDetailSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
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
        "Changes the fields that you send; null clears one. A role and a disabled account bind the next request.",
      versioned: "checked",
      params,
      body: updateUserSchema,
      answer: { status: 200, description: "The user as they are now.", schema: adminUserSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "LAST_ADMIN", "EMAIL_TAKEN"],
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
        "Sets email and password, or one of them. All sessions of the user end, and so does everything that would open " +
        "one. The password is never shown, and not in the audit log.",
      versioned: "checked",
      params,
      body: setCredentialsSchema,
      answer: { status: 200, description: "The user as they are now.", schema: adminUserSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "EMAIL_TAKEN", "EMAIL_REQUIRED"],
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
      description: "They are refused from their next request on, and so are all tokens that would open one.",
      params,
      answer: {
        status: 200,
        description: "The sessions have ended.",
        schema: z.object({ ended: z.int().meta({ description: "How many were valid.", example: 2 }) }),
      },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
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
      description: "For somebody who has lost their app and their recovery codes. Their sessions go on.",
      params,
      answer: { status: 200, description: "It is removed.", schema: z.object({ ok: z.literal(true) }) },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
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
      description: "Every space that they own or are a member of, their own first, each newest first.",
      params,
      query: z.strictObject(listQueryUpTo(2000, 2000)),
      answer: { status: 200, description: "A page of spaces.", schema: listOf(userSpaceSchema) },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
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
        `Balance, totals by bucket, a daily series, and the ledger by pages. ${ENERGY_RATE}. With \`format=csv\` it ` +
        "is the ledger, as a file.",
      params,
      query: z.strictObject({ ...daysQuery(365), ...listQuery, ...csvQuery }),
      answer: { status: 200, description: "The user's energy.", schema: userEnergySchema, also: CSV_ANSWER },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
    },
    async (c, { params: { user_id: userId }, query: { format, ...query } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "ledger", LEDGER_CSV, ({ limit, after }) =>
          readLedger(ctx, session, { userId, limit, beforeId: after?.ledger_id }),
        )
      return getEnergy(ctx, session, { userId, ...query })
    },
  )
}
