import * as z from "zod"

/** Whether requests to a server of the owner say for whom they are made (src/tools/identity.ts). */
export const toolIdentity = z.enum(["signed", "none"]).meta({
  description:
    "Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See " +
    "[Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`.",
})
