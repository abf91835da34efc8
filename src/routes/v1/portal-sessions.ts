import * as z from "zod"
import type { KeyCredential } from "../../actor/actor.ts"
import { parseBaseEnv } from "../../base/env.ts"
import { endUserRefParam } from "../../end-users/schemas.ts"
import type { App } from "../../http/app.ts"
import { createRedis } from "../../platform/redis.ts"
import { createPortalSession, createPortalSessionSchema, portalSessionSchema } from "../../portal/create-session.ts"
import { portalUrl } from "../portal-url.ts"

/** Creates sessions of the portal, for servers with a key. */
export function mountPortalSessions(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/end-users/{end_user_ref}/portal-sessions",
      id: "createPortalSession",
      tag: "End users",
      summary: "Open the portal for an end user",
      description:
        "Returns the address of a page that shows one end user their own use, in a frame of your page or by itself. Nothing on it is about " +
        "you or another end user. It opens once: the code after `#` is exchanged for a token that only the page has. " +
        "The session has the rights of this key at each look: it shows the turns in the key's spaces, and it ends if the key is revoked or expires, " +
        "or if the end user is erased. It also works for an end user without turns. " +
        "A repeat creates another session, which has no other effect. See [Portal](/docs/portal).",
      idempotent: "naturally",
      params: z.object({ end_user_ref: endUserRefParam }),
      body: createPortalSessionSchema,
      answer: { status: 201, description: "The session.", schema: portalSessionSchema },
      errors: ["SCOPE_DENIED", "QUOTA_EXCEEDED"],
    },
    async (c, { params: { end_user_ref: ref }, body }) => {
      const ctx = c.get("ctx")
      const redis = createRedis(parseBaseEnv(c.env), ctx.meter)
      const made = await createPortalSession(ctx, redis, c.get("credential") as KeyCredential, { ref, body })
      return { url: portalUrl(c.req.url, made), expires_at: made.expiresAt.toISOString() }
    },
  )
}
