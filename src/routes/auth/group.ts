import { parseAuthEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { guardDoors } from "../../http/doors.ts"
import { loginPages } from "../../http/login-pages.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountBot } from "./bot.ts"
import { mountIdpSession, sameOriginOrInternal } from "./idp-session.ts"
import { mountInvitations } from "./invitations.ts"
import { mountMessenger } from "./messenger.ts"
import { mountOauthLogin } from "./oauth-login.ts"
import { mountProof } from "./proof.ts"
import { mountLogin, mountSession } from "./session.ts"
import { mountTokens } from "./tokens.ts"

/** Operations that require a session. All others declare themselves `open`. */
const SIGNED_IN = ["/api/auth/me", "/api/auth/app-token", "/api/auth/second-factor", "/api/auth/reauthenticate"]

/** /api/auth/*: sign in and sign out. */
export const auth: Group = {
  parseEnv: parseAuthEnv,
  mount(app) {
    app.use("/api/auth/oauth-login/*", loginPages)
    app.use("/api/auth/*", guardDoors)
    // Mounted before `sameOrigin`: a server calls it, and proves its identity with a secret.
    mountBot(app)
    app.use("/api/auth/*", sameOriginOrInternal)
    for (const path of SIGNED_IN) app.use(path, sessionAuth)
    mountLogin(app)
    mountSession(app)
    mountTokens(app)
    mountInvitations(app)
    mountProof(app)
    mountOauthLogin(app)
    mountIdpSession(app)
    mountMessenger(app)
  },
}
