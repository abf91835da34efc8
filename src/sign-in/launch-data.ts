import { createHmac, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { timeInWords } from "../base/in-words.ts"
import { LAUNCH_POLICY } from "./policies.ts"

/** A person on the messaging platform, with the fields of its API that we store. */
export const messengerUserSchema = z.object({
  id: z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,15}$/)]).transform(String),
  first_name: z.string().catch(""),
  last_name: z.string().catch(""),
})

export type MessengerUser = z.infer<typeof messengerUserSchema>

export interface Launch {
  user: MessengerUser
  /** Identifies the launch. Every encoding of the same data has the same fingerprint. */
  fingerprint: string
  /** The time after which the data is too old. */
  expiresAt: Date
}

/**
 * Validates a mini-app's launch data as the platform specifies it (Mini Apps, "Validating data received via the
 * Mini App"). `hash` is an HMAC over all other fields, `signature` included. Throws INVALID_LAUNCH_DATA.
 */
export function readLaunch(initData: string, botToken: string, now: Date): Launch {
  const pairs = [...new URLSearchParams(initData)]
  const fields = new Map(pairs)
  if (fields.size !== pairs.length) throw invalidLaunch("It repeats a field.")
  // With a line break in a value, two different sets of fields could have the same signed text.
  const isPlain = pairs.every(([name, value]) => /^\w+$/.test(name) && !value.includes("\n"))
  if (!isPlain) throw invalidLaunch("It has a field that the platform does not send.")
  const hash = fields.get("hash") ?? ""
  if (!/^[0-9a-f]{64}$/.test(hash)) throw invalidLaunch("It has no hash.")
  fields.delete("hash")
  const names = [...fields.keys()].sort()
  const checked = names.map((name) => `${name}=${fields.get(name)}`).join("\n")
  const secret = createHmac("sha256", "WebAppData").update(botToken).digest()
  const expected = createHmac("sha256", secret).update(checked).digest()
  if (!timingSafeEqual(expected, Buffer.from(hash, "hex"))) {
    throw invalidLaunch("It is not signed for this brand's bot, or was altered.")
  }
  const expiresAt = expiryOf(fields.get("auth_date") ?? "", now)
  const user = messengerUserSchema.safeParse(parseJson(fields.get("user")))
  if (!user.success) throw invalidLaunch("It has no valid user.")
  return { user: user.data, fingerprint: hash, expiresAt }
}

/** Data is valid up to and including five minutes, in whole seconds: the precision of the platform. */
function expiryOf(authDate: string, now: Date): Date {
  if (!/^\d{1,12}$/.test(authDate)) throw invalidLaunch("It has no auth_date.")
  const at = Number(authDate) * 1000
  if (at > now.getTime() + LAUNCH_POLICY.maxAheadMs) throw invalidLaunch("Its auth_date is in the future.")
  const expiresAt = at + LAUNCH_POLICY.maxAgeMs
  if (now.getTime() > expiresAt) throw invalidLaunch(`It is older than ${timeInWords(LAUNCH_POLICY.maxAgeMs)}.`)
  return new Date(expiresAt)
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "")
  } catch {
    return null
  }
}

export const invalidLaunch = (why: string) =>
  new TurnpikeError("INVALID_LAUNCH_DATA", `The launch data was rejected. ${why} Open the mini-app again.`)
