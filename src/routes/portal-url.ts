import { portalPath } from "../portal/page.ts"

/** The address of a session at the host of a request. A browser does not send the code after `#` to any server. */
export function portalUrl(requestUrl: string, { session, code }: { session: string; code: string }): string {
  const url = new URL(portalPath(session), requestUrl)
  url.hash = code
  return url.href
}
