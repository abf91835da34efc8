import { ACCOUNT_POWERS } from "./account-powers.ts"
import { type Guard, guards } from "./powers.ts"

const { always, onlyWhen } = guards

/**
 * All operations of `/api/admin`. An operation that only removes power (disabling, removing,
 * ending) requires no proof.
 */
const ADMIN = {
  getOverview: "none",
  getServiceLevel: "none",
  listUsers: "none",
  createUser: always("access"),
  getUser: "none",
  updateUser: onlyWhen(
    "it grants the admin role, sets an email, marks an email as verified, or enables a disabled account",
    "access",
  ),
  setUserCredentials: always("access"),
  endUserSessions: "none",
  resetSecondFactor: always("access"),
  listUserSpaces: "none",
  getUserEnergy: "none",
  creditUser: always("money"),
  previewUsersChange: "none",
  changeUsers: always("money"),
  refundTurn: always("money"),
  listAllRefundRequests: "none",
  decideRefund: onlyWhen("it refunds the turn", "money"),
  listSubscriptions: "none",
  createSubscription: always("money"),
  getSubscriptionUsage: "none",
  getReportFile: "none",
  getReportFileContent: "none",
  getSubscription: "none",
  updateSubscription: always("money"),
  deactivateSubscription: "none",
  listModelCatalog: "none",
  addModel: always("money"),
  putModelPrices: always("money"),
  planModelPrices: always("money"),
  cancelPlannedPrices: always("money"),
  listModelProposals: "none",
  patchModel: "none",
  listRecentSpaces: "none",
  listSpaceInventory: "none",
  getSpaceById: "none",
  getSpaceByKey: "none",
  listSpaceSessions: "none",
  listTasks: "none",
  listTeams: "none",
  createTeam: "none",
  getTeam: "none",
  updateTeam: onlyWhen("it adds a member, or unarchives the team", "access", "secrets", "money"),
  listWorkspaces: "none",
  createWorkspace: always("access", "secrets", "money"),
  getWorkspace: "none",
  updateWorkspace: always("access", "secrets", "money"),
  putWorkspaceBot: always("access"),
  testWorkspaceBot: "none",
  addWorkspaceMember: always("access", "secrets", "money"),
  removeWorkspaceMember: "none",
  setWorkspaceBotWebhook: "none",
  listBoards: "none",
  putSpaceChat: "none",
  addSpaceMember: always("access", "secrets", "money"),
  removeSpaceMember: "none",
  listSettings: "none",
  updateSetting: always("access", "money"),
  listExternalApiKeys: "none",
  updateExternalApiKey: always("secrets", "money"),
  unsetExternalApiKey: always("secrets", "money"),
  listProviders: "none",
  getPools: "none",
  getCapacity: "none",
  disableProvider: "none",
  enableProvider: "none",
  refreshProviderLimits: "none",
  removeProvider: "none",
  putProviderReport: always("secrets"),
  removeProviderReport: "none",
  listProviderBooks: "none",
  getProviderBook: "none",
  compareProviderBook: "none",
  seeProviderBook: "none",
  getAltPool: "none",
  disableAltPoolAccount: "none",
  enableAltPoolAccount: "none",
  listContainerMappings: "none",
  putContainerMapping: always("secrets", "access"),
  removeContainerMapping: "none",
  // The account of a login gets owners' texts. So the step that saves it requires a proof, or
  // the first step if none follows.
  startProviderLogin: "none",
  submitProviderCode: "none",
  addProvider: always("access"),
  startDeviceLogin: always("access"),
  getDeviceLogin: "none",
  getMediaLogin: "none",
  startMediaLogin: "none",
  completeMediaLogin: always("access"),
  getSystem: "none",
  reconcile: "none",
  // It books only amounts that accounts already owe, at prices whose change requires a proof.
  billInfra: "none",
  listAudit: "none",
  listAllTurns: "none",
  getAllTurnStats: "none",
  getAnyTurn: "none",
  getAnyTurnReceipt: "none",
  cancelAnyTurn: "none",
  raiseAnyTurn: always("money"),
  searchEverything: "none",
  actAsUser: always("access"),
  endActing: "none",
  getContextComparison: "none",
  getDailyUsage: "none",
  getTopUsers: "none",
  getEndUsersReport: "none",
  getErrorsReport: "none",
  getContextSize: "none",
  getTopSpaces: "none",
  getHourlyUsage: "none",
  getHourlySpaces: "none",
  getEnergyTimeline: "none",
  getBalanceTrend: "none",
  getCostsReport: "none",
  getCostRatesReport: "none",
  getSubscriptionSpaces: "none",
  getUserCostsReport: "none",
  getUsageBreakdown: "none",
} satisfies Record<string, "none" | Guard>

/** The only table of operations that require a fresh proof, for routing and documentation. A test checks each one. */
export const OPERATION_POWERS: Record<"/api/account/" | "/api/admin/", Record<string, "none" | Guard>> = {
  "/api/account/": ACCOUNT_POWERS,
  "/api/admin/": ADMIN,
}

/** The guard of an operation; null if it requires no proof. Throws for one of these APIs that is not in the table. */
export function guardOf({ path, id }: { path: string; id: string }): Guard | null {
  for (const [prefix, table] of Object.entries(OPERATION_POWERS)) {
    if (!path.startsWith(prefix)) continue
    const entry = table[id]
    if (!entry)
      throw new Error(`add ${id} to src/base/account-powers.ts or operation-powers.ts, with its powers or "none"`)
    return entry === "none" ? null : entry
  }
  return null
}
