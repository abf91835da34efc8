import { TurnpikeError } from "../base/errors.ts"

/**
 * The code in what somebody has pasted: `code#state`, the code alone, or the whole URL of the page that they were led to. A state that
 * comes with it must be the login's. LOGIN_CODE_INVALID; LOGIN_DENIED when the URL says so.
 */
export function pastedCode(pasted: string, state: string): string {
  const text = pasted.trim()
  const isUrl = /^https?:\/\//i.test(text)
  if (isUrl && !URL.canParse(text)) throw codeInvalid("What you pasted is no valid URL.")
  const query = isUrl ? new URL(text).searchParams : null
  if (query?.has("error")) throw new TurnpikeError("LOGIN_DENIED", "The provider did not log you in.")
  const [bare = "", given = null] = text.split("#")
  const [code, itsState] = query ? [query.get("code") ?? "", query.get("state")] : [bare, given]
  if (itsState !== null && itsState !== state)
    throw codeInvalid("The code belongs to another login. Paste the one of the last.")
  if (!/^[\x21-\x7e]{1,4096}$/.test(code)) throw codeInvalid("There is no code in what you pasted.")
  return code
}

/**
 * The code in the URL of a page on one's own machine that a provider led to: exactly the registered one, with state and code and nothing
 * else (also `iss`, where the configuration names the issuer). LOGIN_CODE_INVALID; LOGIN_DENIED when the URL says so.
 */
export function callbackCode(
  pasted: string,
  { state, redirect_uri }: { state: string; redirect_uri: string },
  issuer: string | undefined,
): string {
  const text = pasted.trim()
  const registered = new URL(redirect_uri)
  const url = URL.canParse(text) ? new URL(text) : null
  const pageOf = ({ href }: URL) => href.replace(/\?[^#]*$/, "")
  if (url === null || pageOf(url) !== pageOf(registered)) {
    throw urlInvalid("It is not the registered callback URL: paste the whole address of the page that you were led to.")
  }
  const query = url.searchParams
  if (query.get("state") !== state) throw urlInvalid("The URL belongs to another login. Paste the one of the last.")
  if (query.has("error")) throw new TurnpikeError("LOGIN_DENIED", "The provider did not log you in.")
  const own = [...registered.searchParams.keys()]
  const expected = ["code", "state", ...(issuer === undefined ? [] : ["iss"]), ...own].sort()
  const names = [...query.keys()].sort()
  const may = (iss: boolean) =>
    JSON.stringify(names) === JSON.stringify(expected.filter((name) => iss || name !== "iss"))
  const right = own.every((name) => query.get(name) === registered.searchParams.get(name))
  if (!right || !(may(true) || may(false)))
    throw urlInvalid("The URL must have code and state, each once, and nothing else.")
  if (query.has("iss") && query.get("iss") !== issuer) throw urlInvalid("The URL is of another provider.")
  const code = query.get("code") ?? ""
  if (!/^[\x21-\x7e]{1,4096}$/.test(code)) throw urlInvalid("The URL has no code.")
  return code
}

const codeInvalid = (message: string, param = "code") => new TurnpikeError("LOGIN_CODE_INVALID", message, { param })

const urlInvalid = (message: string) => codeInvalid(message, "callback_url")
