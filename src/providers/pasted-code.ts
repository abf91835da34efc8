import { TurnpikeError } from "../base/errors.ts"

/**
 * The code in what somebody has pasted: `code#state`, the code alone, or the URL of the page that they were led to, whole or its query. A
 * state that comes with it must be the login's. LOGIN_CODE_INVALID; LOGIN_DENIED when the URL says so.
 */
export function pastedCode(pasted: string, state: string): string {
  const text = cleaned(pasted)
  const answer = answerIn(text)
  if (answer?.url === null) throw codeInvalid("What you pasted is no valid URL.")
  if (answer) refuseError(answer.query)
  const [bare = "", given = null] = text.replace(/%23/i, "#").split("#")
  const [code, itsState] = answer ? [once(answer.query, "code") ?? "", once(answer.query, "state")] : [bare, given]
  if (itsState !== null && itsState !== state)
    throw codeInvalid("The code belongs to another login. Paste the one of the last.")
  if (!CODE.test(code)) throw codeInvalid("There is no code in what you pasted.")
  return code
}

/**
 * The code in the URL of a page on one's own machine that a provider led to: the registered one with state and code. Its scheme, or all
 * before its query, may be missing. Other parameters are ignored (RFC 6749 section 4.1.2); `iss` is compared where the configuration names
 * the issuer (RFC 9207). LOGIN_CODE_INVALID; LOGIN_DENIED when the URL says so.
 */
export function callbackCode(
  pasted: string,
  { state, redirect_uri }: { state: string; redirect_uri: string },
  issuer: string | undefined,
): string {
  const registered = new URL(redirect_uri)
  const text = cleaned(pasted)
  const answer = answerIn(text.startsWith(`${registered.host}/`) ? `${registered.protocol}//${text}` : text)
  const pageOf = ({ href }: URL) => href.replace(/\?[^#]*$/, "")
  if (!answer?.url || (answer.url !== NO_PAGE && pageOf(answer.url) !== pageOf(registered))) {
    throw urlInvalid("It is not the registered callback URL: paste the whole address of the page that you were led to.")
  }
  const { query } = answer
  const theirs = once(query, "state")
  if (theirs === null)
    throw urlInvalid("The URL has no state. Paste the whole address of the page that you were led to.")
  if (theirs !== state) throw urlInvalid("The URL belongs to another login. Paste the one of the last.")
  refuseError(query)
  const isOwn = ([name, value]: [string, string]) => query.get(name) === value
  if (answer.url !== NO_PAGE && ![...registered.searchParams].every(isOwn))
    throw urlInvalid("The URL lacks a parameter of the registered callback URL.")
  if (issuer !== undefined && query.has("iss") && once(query, "iss") !== issuer)
    throw urlInvalid("The URL is of another provider.")
  const code = once(query, "code") ?? ""
  if (!CODE.test(code)) throw urlInvalid("The URL has no code.")
  return code
}

const CODE = /^[\x21-\x7e]{1,4096}$/

/** Stands for the page of a query that was pasted alone. */
const NO_PAGE = new URL("about:blank")

/** What was pasted, without what chats, terminals and mails put around a URL and into it. */
function cleaned(pasted: string): string {
  const text = pasted
    .replace(/[\u200b-\u200d\u2060\ufeff\r\n\t]/g, "")
    .trim()
    .replace(/^[<("'`\u2018\u201c]+|[>)"'`\u2019\u201d]+$/g, "")
    .replaceAll("&amp;", "&")
  return /^https?%3A%2F%2F/i.test(text) ? decoded(text) : text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The parameters of a URL, or of its query alone; null for anything else. `url` is null where it does not parse. */
function answerIn(text: string): { url: URL | null; query: URLSearchParams } | null {
  // An empty fragment, also an encoded one, and the one that Facebook's login adds.
  const whole = text.replace(/(#|%23)(_=_)?$/i, "")
  if (/^https?:\/\//i.test(whole)) {
    const url = URL.canParse(whole) ? new URL(whole) : null
    return { url, query: url?.searchParams ?? new URLSearchParams() }
  }
  const isQuery = /^(\?|[?&]?(code|state|error)=)/.test(whole)
  return isQuery ? { url: NO_PAGE, query: new URLSearchParams(whole.replace(/^[?&]+/, "")) } : null
}

/** A parameter that must not be repeated (RFC 6749 section 3.1); null when it is missing. */
function once(query: URLSearchParams, name: string): string | null {
  const [value = null, ...more] = query.getAll(name)
  if (more.length > 0) throw codeInvalid(`What you pasted has ${name} more than once.`)
  return value
}

/** The provider's own words for why it led back without a code. */
function refuseError(query: URLSearchParams): void {
  const error = once(query, "error")
  if (error === null) return
  const words = [error, query.get("error_description") ?? ""].map((text) => text.replace(/[^\x20-\x7e]/g, " ").trim())
  const why = words
    .filter((text) => text !== "")
    .join(": ")
    .slice(0, 300)
  throw new TurnpikeError("LOGIN_DENIED", `The provider did not log you in${why === "" ? "." : ` (${why}).`}`)
}

const codeInvalid = (message: string, param = "code") => new TurnpikeError("LOGIN_CODE_INVALID", message, { param })

const urlInvalid = (message: string) => codeInvalid(message, "callback_url")
