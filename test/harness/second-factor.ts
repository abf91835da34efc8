import { URI } from "otpauth"
import type { World } from "./world.ts"

/** The code that an authenticator app shows at a time for this URI. */
export function codeOf(uri: string, at: Date): string {
  const totp = URI.parse(uri)
  if (!("counter" in totp) || !("period" in totp)) throw new Error("not a TOTP")
  return totp.generate({ timestamp: at.getTime() })
}

/** Gives a user a second factor through the API. */
export async function enrol(world: World, userId: number) {
  const browser = await world.signIn(userId)
  const [status, { uri }] = await browser.json("POST", "/api/account/second-factor")
  if (status !== 200) throw new Error(`no second factor: ${status}`)
  const code = codeOf(uri, world.clock.now())
  const [, { recovery_codes }] = await browser.json("POST", "/api/account/second-factor/confirm", { code })
  return { browser, uri: uri as string, recoveryCodes: recovery_codes as string[] }
}
