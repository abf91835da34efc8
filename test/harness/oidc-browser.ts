import { ORIGIN } from "./dashboard.ts"
import type { World } from "./world.ts"

const START = "/api/auth/oauth-login/start"

/** A browser on our origin. It keeps cookies and follows no redirects by itself. */
export function createBrowser(world: Pick<World, "invoke">) {
  const cookies = new Map<string, string>()

  async function go(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const sent = { ...(cookie && { cookie }), "sec-fetch-site": "same-origin", ...headers }
    const response = await world.invoke(new Request(new URL(path, ORIGIN), { headers: sent }))
    keepCookies(cookies, response)
    return response
  }

  return {
    cookies,
    go,
    /** The provider's page to which a login redirects. */
    async start(next?: string, path = START): Promise<URL> {
      const response = await go(next === undefined ? path : `${path}?next=${encodeURIComponent(next)}`)
      if (response.status !== 302) throw new Error(`${response.status} ${await response.text()}`)
      return new URL(response.headers.get("location") ?? "")
    },
    /** The signed-in user, if any. */
    async me(): Promise<{ user_id: number; email: string | null; email_verified: boolean } | null> {
      const response = await go("/api/auth/me")
      return response.ok ? response.json() : null
    },
  }
}

export type Browser = ReturnType<typeof createBrowser>

export function keepCookies(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0/i.test(line) || /expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

/**
 * Acts as a person on the certified provider's page: signs in as `login`, or cancels if it is null.
 * Returns the resulting URL on our origin.
 */
export async function signInAtProvider(page: URL, login: string | null): Promise<URL> {
  const cookies = new Map<string, string>()
  let [url, form]: [URL, Record<string, string> | null] = [page, null]
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const body: RequestInit = form ? { method: "POST", body: new URLSearchParams(form) } : {}
    const response = await fetch(url, { ...body, headers: { cookie }, redirect: "manual" })
    keepCookies(cookies, response)
    const location = response.headers.get("location")
    if (location) {
      ;[url, form] = [new URL(location, url), null]
      await response.body?.cancel()
      if (url.origin !== page.origin) return url
      continue
    }
    const text = await response.text()
    if (!response.ok)
      throw new Error(`the provider answers ${response.status} at ${url.pathname}: ${text.slice(0, 300)}`)
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? ""
    if (login === null) url = new URL(`${url.pathname}/abort`, url)
    else form = { prompt, login, password: "any" }
  }
  throw new Error("the provider's pages do not end")
}
