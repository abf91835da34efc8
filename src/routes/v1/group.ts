import { except } from "hono/combine"
import { parseBaseEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { keyOrResultToken } from "../../http/result-token-auth.ts"
import { WATCH_PATH } from "../../turns/watch-token.ts"
import { mountMessages } from "../anthropic/messages.ts"
import { mountMessageModels } from "../anthropic/models.ts"
import { mountConversations } from "../conversations.ts"
import { mountEndUsers } from "../end-users.ts"
import { mountEvents } from "../events.ts"
import { mountModels } from "../models.ts"
import { FOR_KEYS } from "../mounting.ts"
import { mountChatCompletions } from "../openai/chat-completions.ts"
import { mountSpaceModels } from "../openai/models.ts"
import { mountResponses } from "../openai/responses.ts"
import { mountProfiles } from "../profiles.ts"
import { mountReceipts, mountSigningKeys } from "../receipts.ts"
import { mountResale } from "../resale.ts"
import { mountSpaceConfig } from "../spaces/config.ts"
import { mountRetention } from "../spaces/retention.ts"
import { mountTools } from "../spaces/tools.ts"
import { mountTurnMessages } from "../turn-messages.ts"
import { mountUsageReport } from "../usage-report.ts"
import { mountAccount } from "./account.ts"
import { mountCalls } from "./calls.ts"
import { mountFiles } from "./files.ts"
import { mountHealth } from "./health.ts"
import { mountPortal } from "./portal.ts"
import { mountPortalSessions } from "./portal-sessions.ts"
import { shownRates } from "./shown-rates.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTurns } from "./turns.ts"
import { mountWatch, mountWatchTokens } from "./watch.ts"
import { mountWebhooks } from "./webhooks.ts"

/** /v1/*: the API for owners' servers, and /portal/*: the page for their end users. */
export const v1: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    mountHealth(app)
    mountSigningKeys(app)
    app.use("/v1/*", except(WATCH_PATH, keyOrResultToken))
    app.use("/v1/*", shownRates)
    mountSpaces(app)
    mountSpaceConfig(app, FOR_KEYS)
    mountRetention(app, FOR_KEYS)
    mountTools(app, FOR_KEYS)
    mountFiles(app)
    mountTurns(app)
    mountConversations(app, FOR_KEYS)
    mountTurnMessages(app, FOR_KEYS)
    mountWatchTokens(app)
    mountWatch(app)
    mountCalls(app)
    mountWebhooks(app)
    mountEvents(app, FOR_KEYS)
    mountAccount(app)
    mountModels(app, FOR_KEYS)
    mountUsageReport(app, FOR_KEYS)
    mountReceipts(app, FOR_KEYS)
    mountResponses(app)
    mountChatCompletions(app)
    mountSpaceModels(app)
    mountMessages(app)
    mountMessageModels(app)
    mountEndUsers(app, FOR_KEYS)
    mountProfiles(app, FOR_KEYS)
    mountPortalSessions(app)
    mountPortal(app)
    mountResale(app, FOR_KEYS)
  },
}
