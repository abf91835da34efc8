import * as z from "zod"
import { parseAuthEnv } from "../../base/env.ts"
import { endUserRefParam } from "../../end-users/schemas.ts"
import type { App } from "../../http/app.ts"
import { testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { createRedis } from "../../platform/redis.ts"
import { portalSessionSchema, previewPortal, previewPortalSchema } from "../../portal/create-session.ts"
import { portalUrl } from "../portal-url.ts"

export function mountPortalPreviews(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/account/end-users/{end_user_ref}/portal-previews",
      id: "previewPortal",
      tag: "End users",
      summary: "Preview the portal of an end user",
      description:
        "The portal as the end user would see it, with all turns of the account that a key has sent. Only the web app can show it in a frame. " +
        "It ends with your session, and it decides about no call.",
      params: z.object({ end_user_ref: endUserRefParam }),
      query: z.strictObject({ ...testQuery }),
      body: previewPortalSchema,
      answer: { status: 201, description: "The session.", schema: portalSessionSchema },
      errors: ["QUOTA_EXCEEDED"],
    },
    async (c, { params: { end_user_ref: ref }, body }) => {
      const ctx = c.get("ctx")
      const { origin } = new URL(c.req.url)
      const redis = createRedis(parseAuthEnv(c.env), ctx.meter)
      const made = await previewPortal(ctx, redis, sessionOf(c), { ref, body, origin })
      return { url: portalUrl(c.req.url, made), expires_at: made.expiresAt.toISOString() }
    },
  )
}
