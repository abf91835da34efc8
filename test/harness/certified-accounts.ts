import { keepCookies } from "./oidc-browser.ts"

/**
 * Acts as a person on the certified provider's page for devices: enters the code, signs in as
 * `login` and confirms.
 */
export async function confirmByDevice(page: string, login: string): Promise<void> {
  const cookies = new Map<string, string>()
  let [url, form]: [URL, Record<string, string> | null] = [new URL(page), null]
  for (let step = 0; step < 20; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const body: RequestInit = form ? { method: "POST", body: new URLSearchParams(form) } : {}
    const response = await fetch(url, { ...body, headers: { cookie }, redirect: "manual" })
    keepCookies(cookies, response)
    const location = response.headers.get("location")
    const text = await response.text()
    if (location) {
      ;[url, form] = [new URL(location, url), null]
      continue
    }
    if (!response.ok)
      throw new Error(`the provider answers ${response.status} at ${url.pathname}: ${text.slice(0, 300)}`)
    if (/sign-in success/i.test(text)) return
    const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1]
    const fields = [...text.matchAll(/<input[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? "",
      /value="([^"]*)"/.exec(input)?.[1] ?? "",
    ])
    const filled: Record<string, string> = Object.fromEntries(
      fields.filter(([name]) => name !== "" && name !== "abort"),
    )
    form = "login" in filled ? { ...filled, login, password: "any" } : filled
    if (action) url = new URL(action, url)
  }
  throw new Error("the provider's pages do not end")
}
