import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { openSession, userOfCookie } from "../../http/session-auth.ts"
import { messengerWebAppAuthSchema, SIGN_IN_LAUNCH_ERRORS, signInLaunch } from "../../sign-in/launch.ts"
import { LAUNCH_POLICY, TOKEN_POLICY } from "../../sign-in/policies.ts"
import {
  loginStatusQuery,
  loginStatusSchema,
  pollWebLogin,
  startedLoginSchema,
  startWebLogin,
} from "../../sign-in/web-login.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

const tag = "auth"

/** The cookie that binds a login to the browser that started it. */
const LOGIN_COOKIE = "tg_login"
const ATTRIBUTES = { path: "/api/auth/tg-login", httpOnly: true, secure: true, sameSite: "Strict" } as const

export function mountMessenger(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/tg-login/start",
      id: "startWebLogin",
      tag,
      summary: "Start a login that is confirmed in the bot",
      description:
        "Show the `url`, or redirect the browser to it. It opens the bot of this host's brand. When the person starts the " +
        "bot, the login is confirmed. Poll `GET /api/auth/tg-login/status` every few seconds, for " +
        `at most ${timeInWords(TOKEN_POLICY.web_login.ttlMs)}. ` +
        "The cookie `tg_login` binds the login to this browser. A new login in this browser " +
        "replaces it.",
      open: true,
      answer: { status: 200, description: "The token, and the link to the bot.", schema: startedLoginSchema },
      errors: ["BOT_NOT_SET_UP"],
    },
    async (c) => {
      const country = /^[A-Z]{2}$/.exec(c.req.header("cf-ipcountry") ?? "")?.[0] ?? null
      const browser = { url: c.req.url, userAgent: c.req.header("user-agent") ?? null, country }
      const { login, cookie } = await startWebLogin(authContext(c), browser)
      setCookie(c, LOGIN_COOKIE, cookie, { ...ATTRIBUTES, maxAge: TOKEN_POLICY.web_login.ttlMs / 1000 })
      return login
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/auth/tg-login/status",
      id: "getWebLogin",
      tag,
      summary: "Read the state of a login",
      description:
        "`pending` until the person confirms the login in the bot. The first poll after that, from the browser " +
        "that started it, returns `confirmed` with the user and sets the session cookie. If several polls come at once, only " +
        "one gets it. `denied`: the person rejected the login. A later " +
        "poll, another browser, and a token that is expired, unknown or malformed all get 401 " +
        "`INVALID_TOKEN`: stop polling, and start again.",
      open: true,
      query: loginStatusQuery,
      answer: { status: 200, description: "The state of the login.", schema: loginStatusSchema },
      errors: ["INVALID_TOKEN", "SECOND_FACTOR_REQUIRED"],
    },
    async (c, { query }) => {
      const ctx = authContext(c)
      const poll = { url: c.req.url, token: query.token, cookie: getCookie(c, LOGIN_COOKIE) }
      const answer = await pollWebLogin(ctx, poll, ({ user_id, epoch, identity }) =>
        openSession(c, ctx, user_id, { grantedBy: { epoch, identity }, refusal: "INVALID_TOKEN" }),
      )
      if (answer.status === "confirmed") deleteCookie(c, LOGIN_COOKIE, ATTRIBUTES)
      return answer
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/auth/messenger-webapp",
      id: "signInMessengerWebApp",
      tag,
      summary: "Sign in from the mini-app",
      description:
        "Takes the launch data that the messaging platform gives to the mini-app of this host's brand. It " +
        `is valid for ${timeInWords(LAUNCH_POLICY.maxAgeMs)} and works once. ` +
        "If the browser that it signed in sends it again, the response is the same user. The cookie is also sent " +
        "inside a page of the platform (`SameSite=None; Partitioned`). The first sign-in creates the user, a trial subscription " +
        "and the signup credit, and records the referral of `ref_code`. An account that an admin created, or that linked this identity, gets " +
        "them at its first sign-in. A login with the bot counts as a first sign-in too. Each person and each account gets them once.",
      open: true,
      body: messengerWebAppAuthSchema,
      answer: { status: 200, description: "The user; the session is in the cookie.", schema: userSchema },
      errors: [...SIGN_IN_LAUNCH_ERRORS, "SECOND_FACTOR_REQUIRED"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      return signInLaunch(ctx, c.req.url, body, {
        open: ({ user_id, epoch, identity }) =>
          openSession(c, ctx, user_id, {
            grantedBy: { epoch, identity },
            refusal: "INVALID_LAUNCH_DATA",
            framed: true,
          }),
        again: (identity) => userOfCookie(c, ctx, identity),
      })
    },
  )
}
