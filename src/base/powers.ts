/** Powers that a stolen session must not have. An operation with a power requires a fresh proof of identity. */
export const POWERS = {
  secrets: "reads a secret, or sends one to another server",
  access: "gives access that lasts longer than the session",
  money: "spends money, books credit, sets prices or loosens a limit",
  data: "gives data out, sends it to a new server, or deletes it",
  approval: "lets an agent act without asking",
} as const

export type Power = keyof typeof POWERS

/** The maximum age of a proof. `proof_life` (src/actor/caller.sql) has the same value; a test compares both. */
export const PROOF_MINUTES = 10

export interface Guard {
  powers: Power[]
  /**
   * The proof is required only in this case, and the procedure decides. Without it, `find_caller`
   * rejects every call without a proof.
   */
  when?: string
}

const always = (...powers: Power[]): Guard => ({ powers })
const onlyWhen = (when: string, ...powers: Power[]): Guard => ({ powers, when })

/**
 * Turns would call a server that they do not call yet, or a call would no longer wait for a person. The procedures
 * compare with every kept version of the space's configuration, so that a detour in two steps needs a proof too.
 */
const NEW_ORIGIN_OR_LOOSER =
  "it names a new origin, sends a secret (`{{secrets.NAME}}`) to another origin, or loosens an approval; every kept " +
  "version of the space's configuration counts"

/**
 * All operations of `/api/account`. Sending turns and files, reading, and editing instructions require no proof.
 * Testing a tool sends secrets only to the origin that was proved when the tool was saved. */
const ACCOUNT = {
  getMe: "none",
  getBalance: "none",
  getSetup: "none",
  getEnergy: "none",
  listLedger: "none",
  getLimits: "none",
  getPlan: "none",
  getTraceEndpoint: "none",
  // It sends the account's data, and texts if wished, to a server from then on.
  putTraceEndpoint: always("access"),
  deleteTraceEndpoint: "none",
  putLimits: onlyWhen("it raises or removes a limit of end users", "money"),
  listSessions: "none",
  endSession: "none",
  endSessions: "none",
  changePassword: onlyWhen("the account has no password yet (otherwise the current password is the proof)", "access"),
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
  createSpace: onlyWhen("one of its tools has a request, or it has an MCP server", "secrets", "data"),
  getSpace: "none",
  updateSpace: "none",
  archiveSpace: "none",
  getSpaceSpend: "none",
  listShares: "none",
  getSharing: "none",
  endSharing: "none",
  putMembersLimit: always("money"),
  getManifest: "none",
  putManifest: onlyWhen("it loosens an approval", "approval"),
  getRetention: "none",
  putRetention: onlyWhen("it shortens how long something is kept", "data"),
  listSecrets: "none",
  putSecret: onlyWhen("it replaces a secret", "secrets"),
  deleteSecret: "none",
  listConfigVersions: "none",
  getConfigVersion: "none",
  listTools: "none",
  getTool: "none",
  putTool: onlyWhen(NEW_ORIGIN_OR_LOOSER, "secrets", "data", "approval"),
  deleteTool: "none",
  listMcpServers: "none",
  listMcpServerFailures: "none",
  getMcpServer: "none",
  putMcpServer: onlyWhen(NEW_ORIGIN_OR_LOOSER, "secrets", "data", "approval"),
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
  getConversation: "none",
  getTurnMessages: "none",
  cancelTurn: "none",
  listWaitingTurns: "none",
  // A session may send turns of any cost, and it may call the tools of its spaces, so it may raise and decide.
  patchTurn: "none",
  decideCall: "none",
  listTurnEvents: "none",
  listTurnSteps: "none",
  getTurnBill: "none",
  listTurnFiles: "none",
  listTurnDeliveries: "none",
  exploreTurns: "none",
  getTurnStats: "none",
  getTurnTrace: "none",
  search: "none",
  createChatTurn: "none",
  estimateChatTurn: "none",
  listChatTurns: "none",
  getChatTurn: "none",
  createWebhook: always("access"),
  getWebhook: "none",
  updateWebhook: onlyWhen("it changes the URL, subscribes to more events, or enables the webhook", "access"),
  deleteWebhook: "none",
  rotateWebhookSecret: always("secrets"),
  listWebhooks: "none",
  getWebhookHealth: "none",
  testWebhook: "none",
  replayEvents: "none",
  getDelivery: "none",
  redeliver: "none",
  listDeliveries: "none",
  listEvents: "none",
  getEvent: "none",
  listModels: "none",
  getUsage: "none",
  getTurnReceipt: "none",
  listStatements: "none",
  getStatement: "none",
  listStatementDocuments: "none",
  getUsageExport: "none",
  putUsageExport: "none",
  getUsageKeys: "none",
  putUsageKeys: "none",
  listPrices: "none",
  getPrice: "none",
  putPrice: always("money"),
  deletePrice: "none",
  listEndUserDefaults: "none",
  putEndUserDefaults: always("money"),
  getEndUserBalance: "none",
  putEndUserBilling: always("money"),
  creditEndUser: always("money"),
  listEndUserLedger: "none",
  listEndUsers: "none",
  listCustomers: "none",
  getEndUser: "none",
  putEndUserLimits: onlyWhen("it raises or removes a limit, or unblocks the end user", "money"),
  getEndUserProfile: "none",
  putEndUserProfile: "none",
  deleteEndUserProfile: "none",
  exportEndUser: always("data"),
  eraseEndUser: always("data"),
  previewPortal: "none",
  getErasure: "none",
} satisfies Record<string, "none" | Guard>

/**
 * All operations of `/api/admin`. An operation that only removes power (disabling, removing,
 * ending) requires no proof.
 */
const ADMIN = {
  getOverview: "none",
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
  refundTurn: always("money"),
  listSubscriptions: "none",
  createSubscription: always("money"),
  getSubscriptionUsage: "none",
  getSubscription: "none",
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
  searchEverything: "none",
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

/** The only table of operations that require a fresh proof, for routing and documentation. A test checks each one. */
export const OPERATION_POWERS: Record<"/api/account/" | "/api/admin/", Record<string, "none" | Guard>> = {
  "/api/account/": ACCOUNT,
  "/api/admin/": ADMIN,
}

/** The guard of an operation; null if it requires no proof. Throws for one of these APIs that is not in the table. */
export function guardOf({ path, id }: { path: string; id: string }): Guard | null {
  for (const [prefix, table] of Object.entries(OPERATION_POWERS)) {
    if (!path.startsWith(prefix)) continue
    const entry = table[id]
    if (!entry) throw new Error(`add ${id} to src/base/powers.ts, with its powers or "none"`)
    return entry === "none" ? null : entry
  }
  return null
}

/** The documentation of an operation that requires a proof. */
export const guardText = ({ powers, when }: Guard) =>
  `Requires a proof of your identity from the last ${PROOF_MINUTES} minutes (\`POST /api/auth/reauthenticate\`)` +
  `${when ? ` if ${when}` : ""}: it ${powers.map((power) => POWERS[power]).join(", and it ")}.`
