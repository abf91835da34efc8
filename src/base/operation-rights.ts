import type { Right } from "./member-roles.ts"

/**
 * The right that an operation of an account needs, for `/api/account` and `/v1` alike. A read that is not listed needs
 * `read`. Every change is listed.
 */
const OPERATIONS: Record<Exclude<Right, "read">, readonly string[]> = {
  develop: [
    "createKey updateKey rotateKey revokeKey",
    "createSpace updateSpace archiveSpace putManifest putRetention putSecret deleteSecret",
    "putTool deleteTool putMcpServer deleteMcpServer testTool checkMcpServer",
    "uploadFile deleteFile",
    "createTurn estimateTurn patchTurn cancelTurn decideCall sendCallResult renewCall takeCalls createWatchToken",
    "createChatTurn estimateChatTurn",
    "createResponse cancelResponse createChatCompletion createMessage countMessageTokens",
    "createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook replayEvents redeliver",
    "putTraceEndpoint deleteTraceEndpoint putUsageKeys",
    "putEndUserProfile deleteEndUserProfile exportEndUser",
    "createPortalSession previewPortal",
  ].flatMap((ids) => ids.split(" ")),
  bill: [
    "putLimits putEndUserLimits putMembersLimit putBudget deleteBudget putAnomaly",
    "putPrice deletePrice putEndUserDefaults putEndUserBilling creditEndUser putUsageExport putBillingDetails requestRefund",
  ].flatMap((ids) => ids.split(" ")),
  own: [
    "endSharing eraseEndUser",
    "inviteMember revokeInvitation updateMember removeMember transferAccount putMemberRules keepKey",
  ].flatMap((ids) => ids.split(" ")),
  self: [
    "listSessions endSession endSessions changePassword",
    "getSecondFactor beginSecondFactor confirmSecondFactor removeSecondFactor",
    "listIdentities unlinkIdentity linkIdentity",
    "listMemberships leaveAccount acceptInvitation",
  ].flatMap((ids) => ids.split(" ")),
}

const RIGHT_OF = new Map(
  Object.entries(OPERATIONS).flatMap(([right, ids]) => ids.map((id) => [id, right as Right] as const)),
)

/** The surfaces of an account. */
const OF_ACCOUNT = /^\/(api\/account|v1)\//
/** Operations of sign-in concern the signed-in user. */
const OF_SIGN_IN = /^\/api\/auth\//

/** The part of an operation that decides about its right. */
interface Named {
  path: string
  id: string
  method: string
  open?: true
}

/** The right that an operation needs; null if it belongs to no account. Throws for a change that is not listed. */
export function rightOf({ path, id, method, open }: Named): Right | null {
  if (open) return null
  if (OF_SIGN_IN.test(path)) return "self"
  if (!OF_ACCOUNT.test(path)) return null
  const right = RIGHT_OF.get(id) ?? (method === "get" ? "read" : undefined)
  if (!right) throw new Error(`add ${id} to src/base/operation-rights.ts`)
  return right
}
