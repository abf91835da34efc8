import { resolve } from "node:path"
import { expect, test } from "vitest"
import { SURFACES } from "../../scripts/documents.ts"
import type { ErrorCode } from "../../src/base/errors.ts"
import { guardOf } from "../../src/base/operation-powers.ts"
import { BODY_CODES } from "../../src/reference/surface.ts"
import { PUT_ENTRY_ERRORS } from "../../src/spaces/put-tool.ts"
import { filesBelow, read } from "./source.ts"
import { type Mounted, mounted, thrownCodes } from "./thrown-codes.ts"

/** They throw the errors of the credential, of If-Match and of a proof, which the surface and other fields declare. */
const ENVELOPE = ["requireActor", "adminRequired", "proofRequired", "callAs", "readAs", "callOnce", "answerOf"]

/**
 * The codes that a way through the source leads to, but that the verb or operation never throws. Most verbs share a
 * table of refusals with others, and their procedure refuses for fewer reasons (the line `refused:` of its header).
 */
const NEVER: Record<string, ErrorCode[]> = {
  addCatalogModel: ["NOT_FOUND", "LAST_ENABLED_MODEL"],
  addSpaceMember: ["CONFLICT"],
  addWorkspaceMember: ["WORKSPACE_EXISTS"],
  archiveSpace: ["SPACE_ARCHIVED", "LIMIT_REACHED"],
  cancelPlannedPrices: ["LAST_ENABLED_MODEL"],
  checkMcpServer: ["SPACE_ARCHIVED", "LIMIT_REACHED"],
  createAccount: ["NOT_FOUND", "LAST_ADMIN"],
  createTeam: ["NOT_FOUND"],
  createWorkspace: ["NOT_FOUND"],
  deactivateSubscription: ["SUBSCRIPTION_ACTIVE", "SUBSCRIPTION_ENDED"],
  enableProvider: ["LAST_HEALTHY_ACCOUNT"],
  endActing: ["ACTING_NOT_ALLOWED"],
  endUserSessions: ["LAST_ADMIN", "IDENTITY_TAKEN", "EMAIL_TAKEN"],
  getRetention: ["SPACE_ARCHIVED", "SPACE_ROLE_REQUIRED", "LIMIT_REACHED"],
  getSharing: ["CONFLICT"],
  grantCredit: ["TURN_NOT_ENDED", "TURN_NOT_BILLED"],
  patchModel: ["CONFLICT"],
  patchSpace: ["LIMIT_REACHED"],
  patchWorkspace: ["WORKSPACE_EXISTS"],
  putMembersLimit: ["CONFLICT"],
  putModelPrices: ["LAST_ENABLED_MODEL"],
  putRetention: ["LIMIT_REACHED"],
  putSpaceChat: ["ALREADY_MEMBER", "LIMIT_REACHED"],
  putWorkspaceBot: ["WORKSPACE_EXISTS"],
  refundTurnAs: ["BALANCE_TOO_LOW"],
  removeEntry: ["LIMIT_REACHED"],
  removeProvider: ["LAST_HEALTHY_ACCOUNT"],
  removeSecret: ["LIMIT_REACHED"],
  removeSpaceMember: ["ALREADY_MEMBER", "LIMIT_REACHED", "CONFLICT"],
  removeWorkspaceMember: ["WORKSPACE_EXISTS"],
  setCredentials: ["LAST_ADMIN", "IDENTITY_TAKEN"],
  testTool: ["SPACE_ARCHIVED", "LIMIT_REACHED"],
  updateKey: ["LIMIT_REACHED"],
  updateUser: ["IDENTITY_TAKEN"],
  previewUsersChange: ["PREVIEW_OUTDATED"],
  // An act on many users returns why one of them is refused.
  USER_REFUSAL_CODES: ["BALANCE_TOO_LOW", "LAST_ADMIN", "NOT_FOUND", "SUBSCRIPTION_ACTIVE"],
  // The object was created by the same Idempotency-Key: `replay` answers IDEMPOTENCY_KEY_REUSED if it is gone.
  createSpace: ["NOT_FOUND"],
  createWebhook: ["NOT_FOUND"],
  // An estimate returns why the hold is refused. Only the owner of the space gets one.
  estimateTurn: [
    "COST_LIMIT_TOO_LOW",
    "INSUFFICIENT_CREDITS",
    "END_USER_CREDIT_SPENT",
    "QUOTA_EXCEEDED",
    "SPACE_ROLE_REQUIRED",
  ],
  // They parse a header only if the request has it.
  createChatTurn: ["IDEMPOTENCY_KEY_REQUIRED"],
  dialectRequest: ["IDEMPOTENCY_KEY_REQUIRED"],
  // A new user has no second factor.
  joinAsNewUser: ["SECOND_FACTOR_REQUIRED"],
  // They catch the error.
  finishOauthLogin: ["SECOND_FACTOR_REQUIRED"],
  listWatched: ["NOT_FOUND"],
  watchTurn: ["NOT_FOUND"],
  reachedCaps: ["NOT_FOUND"],
}

/** The codes to which no way through the source leads: of middleware, or of a function that is passed as a value. */
const ELSEWHERE: Record<string, ErrorCode[]> = {
  answerBotUpdate: ["CROSS_ORIGIN", "INVALID_WEBHOOK_SECRET"],
  createIdpSession: ["CROSS_ORIGIN", "INVALID_INTERNAL_SECRET", "NOT_FOUND"],
  changeUsers: ["IDEMPOTENCY_KEY_REUSED"],
  creditEndUser: ["IDEMPOTENCY_KEY_REUSED"],
  getTurn: ["QUOTA_EXCEEDED"],
  getServiceHealth: ["INVALID_INTERNAL_SECRET", "NOT_FOUND"],
  linkIdentity: ["CROSS_ORIGIN"],
  listMcpServers: ["NOT_FOUND"],
  listMcpServerFailures: ["NOT_FOUND"],
  listTools: ["NOT_FOUND"],
  logout: ["SIGNED_IN_AS_OTHER"],
  putMcpServer: [...PUT_ENTRY_ERRORS],
  putTool: [...PUT_ENTRY_ERRORS],
  reauthenticate: ["REAUTHENTICATION_REQUIRED"],
}

const { by, byVerbOf } = thrownCodes(ENVELOPE, NEVER)

/** The codes that follow from other fields of an operation, or that any operation of a surface can return. */
const DECLARED_BY_FIELDS: ErrorCode[] = [
  ...BODY_CODES,
  "ADMIN_REQUIRED",
  "API_KEY_EXPIRED",
  "INTERNAL",
  "INVALID_API_KEY",
  "ROLE_REQUIRED",
  "SESSION_REQUIRED",
  "UNAVAILABLE",
  "VERSION_MISMATCH",
]
const byOnce: ErrorCode[] = ["IDEMPOTENCY_KEY_INVALID", "IDEMPOTENCY_KEY_REUSED"]

const named = new Set(mounted.map(({ id }) => id))
const isOf = ({ id }: Mounted, operation: string) =>
  typeof id === "string" ? id === operation : id.test(operation) && !named.has(operation)

test.each(Object.keys(SURFACES))("Operations of %s declare exactly the errors that their verbs can throw", (name) => {
  const { app, api } = SURFACES[name as keyof typeof SURFACES]
  const differences = app.operations.flatMap((operation) => {
    const source = mounted.find((one) => isOf(one, operation.id))
    if (!source) return [`${operation.id} is nowhere`]
    const implied = [
      ...DECLARED_BY_FIELDS,
      ...api.surface.foreign,
      ...(operation.idempotent ? byOnce : []),
      ...(guardOf(operation) ? ["REAUTHENTICATION_REQUIRED"] : []),
      ...(ELSEWHERE[operation.id] ?? []),
      // Any request with an API key can get it.
      ...(name === "v1" ? ["TOO_MANY_UNKNOWN_KEYS"] : []),
    ]
    const thrown = [...by(source)].filter((code) => !implied.includes(code)).sort()
    const declared = [...new Set(operation.errors)].filter((code) => !implied.includes(code)).sort()
    return `${thrown}` === `${declared}` ? [] : [`${operation.id}: throws ${thrown}, declares ${declared}`]
  })
  expect(differences).toEqual([])
})

const lists = filesBelow("src")
  .filter((path) => !path.startsWith("src/routes"))
  .flatMap((path) =>
    [...read(path).matchAll(/^export const (\w+_ERRORS) =/gm)].map(([, list]) => [list as string, path]),
  )

test("Each exported list of errors has exactly the codes that the verb of its name can throw", async () => {
  expect(lists.length).toBeGreaterThan(50)
  const differences = await Promise.all(
    lists.map(async ([list = "", path = ""]) => {
      const thrown = byVerbOf(path, list)
      const codes = ((await import(resolve(path))) as Record<string, ErrorCode[]>)[list] ?? []
      const missing = [...(thrown ?? [])].filter((code) => !codes.includes(code) && !DECLARED_BY_FIELDS.includes(code))
      const stale = codes.filter((code) => !thrown?.has(code))
      return missing.length + stale.length === 0 ? [] : [`${list}: missing ${missing}, never thrown ${stale}`]
    }),
  )
  expect(differences.flat()).toEqual([])
})
