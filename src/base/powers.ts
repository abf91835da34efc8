/** Powers that a stolen session must not have: an operation with one of them asks for a fresh proof of who the caller is. */
export const POWERS = {
  secrets: "reads a secret, or sends one to another server",
  access: "gives access that lasts longer than the session",
  money: "spends, books or prices somebody's money",
} as const

export type Power = keyof typeof POWERS

/** How old a proof may be. `proof_life` (src/actor/caller.sql) has the same, which a test compares. */
export const PROOF_MINUTES = 10

export interface Guard {
  powers: Power[]
  /** It asks in this case only, which its procedure decides. Without it `find_caller` refuses every call. */
  when?: string
}

const always = (...powers: Power[]): Guard => ({ powers })
const onlyWhen = (when: string, ...powers: Power[]): Guard => ({ powers, when })

const NEW_ORIGIN =
  "it sends a secret (`{{secrets.NAME}}`) to an origin to which no kept version of the space's configuration sends it"

/**
 * Every operation of `/api/account`. Sending turns and files, reading, and editing instructions ask for nothing. To test a tool
 * sends secrets only to the origin that was proved when the tool was put.
 */
const ACCOUNT = {
  getMe: "none",
  getBalance: "none",
  getEnergy: "none",
  listLedger: "none",
  getLimits: "none",
  putLimits: "none",
  listSessions: "none",
  endSession: "none",
  endSessions: "none",
  changePassword: onlyWhen("the account has no password yet; later the current password is the proof", "access"),
  getSecondFactor: "none",
  beginSecondFactor: always("access"),
  confirmSecondFactor: always("access"),
  removeSecondFactor: always("access"),
  listIdentities: "none",
  unlinkIdentity: "none",
  linkIdentity: always("access"),
  createKey: always("secrets", "access", "money"),
  listKeys: "none",
  getKey: "none",
  updateKey: onlyWhen("it moves the expiry later, or raises or removes a cap", "access", "money"),
  rotateKey: always("secrets", "access", "money"),
  revokeKey: "none",
  listSpaces: "none",
  createSpace: onlyWhen("one of its tools or MCP servers sends a secret (`{{secrets.NAME}}`)", "secrets"),
  getSpace: "none",
  updateSpace: "none",
  archiveSpace: "none",
  getSpaceSpend: "none",
  listShares: "none",
  getSharing: "none",
  endSharing: "none",
  putMembersLimit: always("money"),
  getManifest: "none",
  putManifest: "none",
  listSecrets: "none",
  putSecret: "none",
  deleteSecret: "none",
  listConfigVersions: "none",
  getConfigVersion: "none",
  listTools: "none",
  getTool: "none",
  putTool: onlyWhen(NEW_ORIGIN, "secrets"),
  deleteTool: "none",
  listMcpServers: "none",
  getMcpServer: "none",
  putMcpServer: onlyWhen(NEW_ORIGIN, "secrets"),
  deleteMcpServer: "none",
  testTool: "none",
  checkMcpServer: "none",
  uploadFile: "none",
  listFiles: "none",
  getFile: "none",
  getFileContent: "none",
  deleteFile: "none",
  listTurns: "none",
  getTurn: "none",
  cancelTurn: "none",
  listTurnEvents: "none",
  listTurnSteps: "none",
  getTurnBill: "none",
  listTurnFiles: "none",
  listTurnDeliveries: "none",
  createChatTurn: "none",
  estimateChatTurn: "none",
  listChatTurns: "none",
  getChatTurn: "none",
  createWebhook: always("access"),
  getWebhook: "none",
  updateWebhook: onlyWhen("it changes the URL, asks for more events, or switches the endpoint on", "access"),
  deleteWebhook: "none",
  rotateWebhookSecret: always("secrets"),
  listWebhooks: "none",
  testWebhook: "none",
  replayEvents: "none",
  getDelivery: "none",
  redeliver: "none",
  listDeliveries: "none",
  listEvents: "none",
  getEvent: "none",
  listModels: "none",
  getUsage: "none",
  listEndUsers: "none",
  getEndUser: "none",
  putEndUserLimits: "none",
  exportEndUser: "none",
  eraseEndUser: "none",
  getErasure: "none",
} satisfies Record<string, "none" | Guard>

/** Every operation of `/api/admin`. What only takes power away (disabling, removing, ending) asks for nothing. */
const ADMIN = {
  getOverview: "none",
  listUsers: "none",
  createUser: always("access"),
  getUser: "none",
  updateUser: onlyWhen(
    "it makes an admin, sets an email, says that one is verified, or enables a disabled account",
    "access",
  ),
  setUserCredentials: always("access"),
  endUserSessions: "none",
  resetSecondFactor: always("access"),
  listUserSpaces: "none",
  getUserEnergy: "none",
  creditUser: always("money"),
  refundTurn: always("money"),
  createSubscription: always("money"),
  getSubscriptionUsage: "none",
  updateSubscription: always("money"),
  deactivateSubscription: "none",
  listModelCatalog: "none",
  addModel: always("money"),
  putModelPrices: always("money"),
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
  updateTeam: onlyWhen("it adds a member, or takes the team out of the archive", "access", "secrets", "money"),
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
  listProviders: "none",
  getPools: "none",
  getCapacity: "none",
  disableProvider: "none",
  enableProvider: "none",
  refreshProviderLimits: "none",
  removeProvider: "none",
  getAltPool: "none",
  disableAltPoolAccount: "none",
  enableAltPoolAccount: "none",
  listContainerMappings: "none",
  putContainerMapping: always("secrets", "access"),
  // A login ends in an account that gets customers' texts: the step that saves it asks, or the first one where none follows.
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
  // It books only what accounts owe already, at prices whose change asks.
  billInfra: "none",
  listAudit: "none",
  actAsUser: always("access"),
  endActing: "none",
  getContextComparison: "none",
  getDailyUsage: "none",
  getTopUsers: "none",
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

/** The one table of what asks for a fresh proof: routing enforces it, the documents say it, and a test walks every operation. */
export const OPERATION_POWERS: Record<"/api/account/" | "/api/admin/", Record<string, "none" | Guard>> = {
  "/api/account/": ACCOUNT,
  "/api/admin/": ADMIN,
}

/** The guard of an operation; null: it asks for no proof. An operation of these surfaces that is not in the table is a mistake. */
export function guardOf({ path, id }: { path: string; id: string }): Guard | null {
  for (const [prefix, table] of Object.entries(OPERATION_POWERS)) {
    if (!path.startsWith(prefix)) continue
    const entry = table[id]
    if (!entry) throw new Error(`say in src/base/powers.ts which powers ${id} has, or "none"`)
    return entry === "none" ? null : entry
  }
  return null
}

/** What the documents say about an operation that asks for a proof. */
export const guardText = ({ powers, when }: Guard) =>
  `Needs a proof of who you are from the last ${PROOF_MINUTES} minutes (\`POST /api/auth/reauthenticate\`)` +
  `${when ? ` when ${when}` : ""}: it ${powers.map((power) => POWERS[power]).join(", and it ")}.`
