import type { Context as HonoContext } from "hono"
import { parseBaseEnv } from "../../base/env.ts"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { sessionOf } from "../../http/session-of.ts"
import { createRedis } from "../../platform/redis.ts"
import { ADD_PROVIDER_ERRORS, addProvider, addProviderSchema } from "../../providers/add-provider.ts"
import {
  deviceStartedSchema,
  deviceStatusSchema,
  getDeviceLogin,
  START_DEVICE_LOGIN_ERRORS,
  startDeviceLogin,
} from "../../providers/device-login.ts"
import {
  authCodeAnswerSchema,
  authCodeSchema,
  authStartedSchema,
  type LoginContext,
  SUBMIT_CODE_ERRORS,
  startMainLogin,
  submitCode,
} from "../../providers/main-login.ts"
import {
  COMPLETE_MEDIA_LOGIN_ERRORS,
  completeMediaLogin,
  getMedia,
  mediaCompletedSchema,
  mediaCompleteSchema,
  mediaStatusSchema,
  START_MEDIA_LOGIN_ERRORS,
  startMediaLogin,
} from "../../providers/media-login.ts"
import { PROVIDER_POLICY } from "../../providers/policies.ts"
import { savedProviderSchema } from "../../providers/saved-provider.ts"

const LOGIN_TIME = timeInWords(PROVIDER_POLICY.loginMs)

const tag = "admin"
const path = (rest: string) => `/api/admin/providers/${rest}`

function loginContext(c: HonoContext<AppEnv>): LoginContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}

/** Logins to accounts at the model providers. */
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
        `Returns the provider's page for the authorisation code flow with PKCE. The login belongs to this admin, expires after ${LOGIN_TIME}, ` +
        "and replaces a login that they started before. Next steps: `auth/code`, then `add`. The body is the body of `add`. It is " +
        "validated here, but only the body sent to `add` counts.",
      body: addProviderSchema,
      answer: { status: 200, description: "The page to open.", schema: authStartedSchema },
      errors: ["LOGIN_NOT_CONFIGURED"],
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
        "Takes `code#state`, a bare code, or the whole URL. If a state is included, it must belong to this login. Returns the account, " +
        `but never its tokens. Save it with \`add\` within ${LOGIN_TIME}. If a code is rejected, you can submit another one.`,
      body: authCodeSchema,
      answer: { status: 200, description: "The account that was logged in to.", schema: authCodeAnswerSchema },
      errors: SUBMIT_CODE_ERRORS,
    },
    async (c, { body: { code } }) => submitCode(loginContext(c), sessionOf(c), code),
  )

  app.operation(
    {
      method: "post",
      path: path("add"),
      id: "addProvider",
      tag,
      summary: "Save a provider account",
      description:
        "Saves the credentials of the admin's login, or an API key. If the account already exists (by its id at the provider), it is " +
        "renewed. It keeps its id and history, and becomes healthy again; a disabled account stays disabled. A key sent with the " +
        "`provider_id` of an API key replaces that key.",
      versioned: "shown",
      body: addProviderSchema,
      answer: { status: 200, description: "The saved account.", schema: savedProviderSchema },
      errors: ADD_PROVIDER_ERRORS,
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
      summary: "Start a device login to an account of the alt-pool",
      description:
        "Returns the page and the one-time code to enter there. The service polls the provider in the background until the code is confirmed, " +
        "so you can close the page. If the account already exists, it is renewed and keeps its history. A new login replaces " +
        "a running one, whose code becomes invalid.",
      answer: { status: 200, description: "The page and the code.", schema: deviceStartedSchema },
      errors: START_DEVICE_LOGIN_ERRORS,
    },
    async (c) => startDeviceLogin(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: path("alt-pool/auth/status"),
      id: "getDeviceLogin",
      tag,
      summary: "Get the newest device login",
      description: "While the login is open, the response includes its page and code, so you can reopen the page.",
      answer: { status: 200, description: "The newest login.", schema: deviceStatusSchema },
      errors: [],
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
      description:
        "The account that generates the pictures of all spaces that use `generate_image`. Its tokens are never shown.",
      answer: { status: 200, description: "The state of the credential.", schema: mediaStatusSchema },
      errors: [],
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
        "Only one login can run at a time. Another admin is rejected until it ends, and the same admin gets the same URL again. The login expires " +
        `after ${LOGIN_TIME}.`,
      answer: { status: 200, description: "The page to open.", schema: authStartedSchema },
      errors: START_MEDIA_LOGIN_ERRORS,
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
        "Takes the URL of the page on your own machine to which the provider redirected: the registered URL with `state` and `code`. Other " +
        "parameters are ignored. The credential is stored and read back. The response has its new expiry, and never a token.",
      body: mediaCompleteSchema,
      answer: { status: 200, description: "The login is complete.", schema: mediaCompletedSchema },
      errors: COMPLETE_MEDIA_LOGIN_ERRORS,
    },
    async (c, { body }) => completeMediaLogin(c.get("ctx"), sessionOf(c), body.callback_url),
  )
}
