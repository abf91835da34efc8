const PREFIX = "whsec_"
const SECRET_BYTES = 32

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/** Makes a signing secret in the form of a webhook's secret. */
export const newListenSecret = () => PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

/** The headers that the service sends with an event (Standard Webhooks). `seconds`: the time of the attempt. */
export async function headersOfAttempt(
  secret: string,
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Promise<Record<string, string>> {
  const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (char) => char.charCodeAt(0))
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`)
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))
  return {
    "content-type": "application/json",
    "user-agent": "Turnpike-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  }
}
