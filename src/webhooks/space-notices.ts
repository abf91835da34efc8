import * as z from "zod"
import { WEBHOOK_POLICY } from "./policies.ts"

const text = z.string()

/** A list that can be long, so an event names only the first items. */
const named = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(WEBHOOK_POLICY.mostNamed)
    .meta({ description: `At most ${WEBHOOK_POLICY.mostNamed}.` })

/** An optional MCP server stays silent (src/runs/missing-servers.sql). */
export const SERVER_FAILING = {
  label: "An MCP server does not answer",
  when: "An optional MCP server did not answer for some minutes. Live turns lack its tools until it answers again.",
  data: { space: text, server: text, failures: z.int(), failing_minutes: z.int(), error: text },
  example: {
    space: "spc_01k8m3v9q2x7",
    server: "docs",
    failures: 5,
    failing_minutes: 8,
    error: "It does not answer.",
  },
}

/** An operator has shared spaces of the account. */
export const SPACE_SHARED = {
  label: "Spaces were shared with more people",
  when: "An operator has shared spaces of yours with more people, by adding people or a space to a workspace or its team.",
  data: {
    spaces: named(z.strictObject({ space: text, title: text.nullable() })),
    space_count: z.int(),
    people: named(z.strictObject({ user_id: z.int(), name: text.nullable() })),
    people_count: z.int(),
  },
  example: {
    spaces: [{ space: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c", title: "Support desk" }],
    space_count: 1,
    people: [{ user_id: 43, name: "Grace" }],
    people_count: 1,
  },
}
