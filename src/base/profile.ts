import * as z from "zod"
import { metadataKey } from "./metadata.ts"
import { isTimeZone } from "./time-zone.ts"

export const PROFILE_MOST = { keys: 32, bytes: 4096 }

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** The name of a fact. */
export const profileKey = metadataKey.regex(/^[A-Za-z0-9_.-]+$/, "may have letters, digits, _, . and - only")

/** The facts about an end user that agents and requests of tools can use. `time_zone` has a meaning of its own. */
export const profileValues = z
  .record(profileKey, z.union([z.string(), z.number(), z.boolean()]))
  .refine((profile) => Object.keys(profile).length <= PROFILE_MOST.keys, `must have at most ${PROFILE_MOST.keys} keys`)
  .refine((profile) => bytesOf(profile) <= PROFILE_MOST.bytes, `is larger than ${PROFILE_MOST.bytes} bytes of JSON`)
  .refine(({ time_zone: zone }) => zone === undefined || isTimeZone(zone), {
    message: "must be a time zone of the IANA database, such as Europe/Berlin",
    path: ["time_zone"],
  })
  .meta({
    maxProperties: PROFILE_MOST.keys,
    description:
      `Facts about the end user, which \`{{profile.KEY}}\` inserts: at most ${PROFILE_MOST.keys} keys and ${PROFILE_MOST.bytes} bytes of JSON. ` +
      "Each value is a text, a number, or true or false. `time_zone` is the zone of `{{now}}` and `{{today}}`.",
    example: { name: "Ada", plan: "gold", time_zone: "Europe/London" },
  })

export type Profile = z.infer<typeof profileValues>
