import type { Context as HonoContext } from "hono"
import { parseBaseEnv } from "../../base/env.ts"
import type { ErrorCode } from "../../base/errors.ts"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { sessionOf } from "../../http/session-of.ts"
import { createRedis } from "../../platform/redis.ts"
import { addProvider, addProviderSchema } from "../../providers/add-provider.ts"
import {
  deviceStartedSchema,
  deviceStatusSchema,
  getDeviceLogin,
  startDeviceLogin,
} from "../../providers/device-login.ts"
import {
  authCodeAnswerSchema,
  authCodeSchema,
  authStartedSchema,
  type LoginContext,
  startMainLogin,
  submitCode,
} from "../../providers/main-login.ts"
import {
  completeMediaLogin,
  getMedia,
  mediaCompletedSchema,
  mediaCompleteSchema,
  mediaStatusSchema,
  startMediaLogin,
} from "../../providers/media-login.ts"
import { PROVIDER_POLICY } from "../../providers/policies.ts"
import { savedProviderSchema } from "../../providers/saved-provider.ts"

const LOGIN_TIME = timeInWords(PROVIDER_POLICY.loginMs)

const tag = "admin"
const path = (rest: string) => `/api/admin/providers/${rest}`
const AT_PROVIDER: ErrorCode[] = ["LOGIN_DENIED", "LOGIN_PROVIDER_FAILED", "LOGIN_PROVIDER_UNAVAILABLE"]

function loginContext(c: HonoContext<AppEnv>): LoginContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}

/** Logins to accounts at the providers of models. */
export function mountProviderLogins(app: App) {
  mountPasted(app)
  mountDevice(app)
  mountMedia(app)
}

function mountPasted(app: App) {
  app.operation(
    {
      method: "post",
      path: path("auth/start"),
      id: "startProviderLogin",
      tag,
      summary: "Start a login to an account of the main pool",
      description:
        `Answers the provider's page, by the authorisation code flow with PKCE. The login is the admin's own, is over after ${LOGIN_TIME}, ` +
        "and takes the place of one that they started before. Then: `auth/code`, and `add`. The body is that of `add`, which is " +
        "checked; what counts is what `add` says.",
      body: addProviderSchema,
      answer: { status: 200, description: "The page to open.", schema: authStartedSchema },
      errors: ["ADMIN_REQUIRED", "LOGIN_NOT_CONFIGURED"],
      example: { body: { api_key: undefined } },
    },
    async (c, { body }) => startMainLogin(loginContext(c), sessionOf(c), body),
  )

  app.operation(
    {
      method: "post",
      path: path("auth/code"),
      id: "submitProviderCode",
      tag,
      summary: "Submit the pasted code of a login",
      description:
        "Takes `code#state`, a bare code, or the whole URL; a state that comes with it must be this login's. Answers whose account it " +
        `is, never its tokens. \`add\` saves it, within ${LOGIN_TIME}. A code that is not taken can be followed by another one.`,
      body: authCodeSchema,
      answer: { status: 200, description: "The account that was logged in to.", schema: authCodeAnswerSchema },
      errors: [
        ...(["ADMIN_REQUIRED", "LOGIN_NOT_CONFIGURED", "LOGIN_NOT_STARTED", "LOGIN_EXPIRED"] as const),
        "LOGIN_CODE_INVALID",
        ...AT_PROVIDER,
      ],
    },
    async (c, { body: { code } }) => submitCode(loginContext(c), sessionOf(c), code),
  )

  app.operation(
    {
      method: "post",
      path: path("add"),
      id: "addProvider",
      tag,
      summary: "Save an account",
      description:
        "Saves the credentials of the admin's login, or an API key. An account that is there already (by its id at the provider) is " +
        "renewed: it keeps its id and its history, and is healthy again; it stays disabled if it was. A key sent with the " +
        "`provider_id` of an API key replaces that key.",
      versioned: "shown",
      body: addProviderSchema,
      answer: { status: 200, description: "The account as it was saved.", schema: savedProviderSchema },
      errors: ["ADMIN_REQUIRED", "LOGIN_NOT_CONFIGURED", "LOGIN_NOT_STARTED", "LOGIN_EXPIRED", "PROVIDER_EXISTS"],
      example: { body: { api_key: undefined } },
    },
    async (c, { body }) => addProvider(loginContext(c), sessionOf(c), body),
  )
}

function mountDevice(app: App) {
  app.operation(
    {
      method: "post",
      path: path("alt-pool/auth/start"),
      id: "startDeviceLogin",
      tag,
      summary: "Start a login by device to an account of alt-pool",
      description:
        "Answers the page and the one-time code to enter there. The provider is asked in the background until the code is confirmed, " +
        "so the page may be closed. An account that is there already is renewed, with its history. A login that runs is " +
        "superseded: its code opens nothing any more.",
      answer: { status: 200, description: "Where to enter which code.", schema: deviceStartedSchema },
      errors: ["ADMIN_REQUIRED", "LOGIN_NOT_CONFIGURED", ...AT_PROVIDER],
    },
    async (c) => startDeviceLogin(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: path("alt-pool/auth/status"),
      id: "getDeviceLogin",
      tag,
      summary: "Get the state of the newest login by device",
      description: "While it is polled, with its page and code, so whoever opens the page again sees them.",
      answer: { status: 200, description: "The newest login.", schema: deviceStatusSchema },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c) => getDeviceLogin(c.get("ctx"), sessionOf(c)),
  )
}

function mountMedia(app: App) {
  app.operation(
    {
      method: "get",
      path: path("media"),
      id: "getMediaLogin",
      tag,
      summary: "Get the state of the media credential",
      description: "The account that generates images for all spaces that may. Its tokens are never shown.",
      answer: { status: 200, description: "Its state.", schema: mediaStatusSchema },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c) => getMedia(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "post",
      path: path("media/auth/start"),
      id: "startMediaLogin",
      tag,
      summary: "Start a login to the media account",
      description:
        "There is one at a time: while it runs, another admin is refused, and the same admin gets the same URL again. It is over " +
        `after ${LOGIN_TIME}.`,
      answer: { status: 200, description: "The page to open.", schema: authStartedSchema },
      errors: ["ADMIN_REQUIRED", "LOGIN_NOT_CONFIGURED", "LOGIN_RUNNING"],
    },
    async (c) => startMediaLogin(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "post",
      path: path("media/auth/complete"),
      id: "completeMediaLogin",
      tag,
      summary: "Complete the login to the media account",
      description:
        "Takes the address of the page on one's own machine that the provider led to: the registered one, with state and code and " +
        "nothing else. The credential is written and read back; the answer has its new expiry, and never a token.",
      body: mediaCompleteSchema,
      answer: { status: 200, description: "It is logged in.", schema: mediaCompletedSchema },
      errors: [
        ...(["ADMIN_REQUIRED", "LOGIN_NOT_CONFIGURED", "LOGIN_NOT_STARTED", "LOGIN_EXPIRED", "LOGIN_RUNNING"] as const),
        ...(["LOGIN_CODE_INVALID", "CONFLICT"] as const),
        ...AT_PROVIDER,
      ],
    },
    async (c, { body }) => completeMediaLogin(c.get("ctx"), sessionOf(c), body.callback_url),
  )
}
