import { readFile, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { answerOf, type Behaviour, quotaHeaders } from "./provider-models.ts"
import {
  accountOfToken,
  confirmDevice,
  DEMO_ACCOUNTS,
  type DemoTokens,
  emptyState,
  issueCode,
  issueDeviceCode,
  issueTokens,
  OauthRefusal,
  tokensFor,
} from "./provider-oauth.ts"

import { isOfThisMachine } from "./service.ts"

export interface LocalProvider {
  url: string
  /** Issues the tokens of a new login to an account. */
  login(account: string): ReturnType<typeof issueTokens>
  stop(): Promise<unknown>
}

/**
 * Starts the demo's model provider on loopback. It has logins by authorization code and by device code with rotating
 * refresh tokens, and a model server; `POST /control` sets its answers. Tokens are kept in `dataDir`, like the
 * accounts.
 */
export async function startProvider(dataDir: string, port: number): Promise<LocalProvider> {
  const file = join(dataDir, "provider.json")
  const known = await readFile(file, "utf8").catch(() => null)
  const state: DemoTokens = known === null ? emptyState() : (JSON.parse(known) as DemoTokens)
  const behaviours = new Map<string, Behaviour>()
  const url = `http://127.0.0.1:${port}`
  // One write after the other: two at once could mix their contents.
  let saved: Promise<unknown> = Promise.resolve()
  const save = () => {
    saved = saved.then(() => writeFile(file, JSON.stringify(state), { mode: 0o600 }))
    return saved
  }
  const server = createServer((request, response) => {
    if (!isOfThisMachine(request)) return send(response, 403, { error: "only programs on this machine may call this" })
    void serve({ url, state, behaviours }, request, response)
      .catch((error: unknown) => {
        if (error instanceof OauthRefusal) send(response, 400, { error: error.message })
        else send(response, 500, { error: String(error) })
      })
      .finally(save)
  })
  await new Promise<void>((done, fail) => {
    server.once("error", fail)
    server.listen(port, "127.0.0.1", done)
  })
  return {
    url,
    login: (account) => issueTokens(state, account),
    async stop() {
      await save()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

interface Provider {
  url: string
  state: DemoTokens
  behaviours: Map<string, Behaviour>
}

async function serve(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url, state } = provider
  const { pathname, searchParams: query } = new URL(request.url ?? "/", url)
  const given = (name: string) => query.get(name) ?? ""
  switch (`${request.method} ${pathname}`) {
    case "GET /oauth/authorize":
      return authorize(provider, query, response)
    case "GET /oauth/code":
      // The text that people paste.
      return send(response, 200, `${given("code")}#${given("state")}\n`)
    case "POST /oauth/device":
      return send(response, 200, issueDeviceCode(state, `${url}/oauth/confirm`))
    case "GET /oauth/confirm": {
      const account = isAccount(given("account")) ? given("account") : null
      if (account === null && !query.has("deny")) return choose(response, `${url}/oauth/confirm?${query}`)
      const known = confirmDevice(state, given("user_code"), account)
      return send(response, known ? 200 : 404, `${known ? "Done" : "No device waits with this code"}.\n`)
    }
    case "POST /oauth/token":
      return send(response, 200, tokensFor(state, new URLSearchParams(await bodyOf(request))))
    case "POST /control": {
      const { account, ...behaviour } = JSON.parse(await bodyOf(request)) as Partial<Behaviour> & { account: string }
      provider.behaviours.set(account, { ...behaviourOf(provider, account), times: 1, ...behaviour })
      return send(response, 200, Object.fromEntries(provider.behaviours))
    }
    default:
      return models(provider, request, response, pathname)
  }
}

const isAccount = (id: string) => DEMO_ACCOUNTS.some((account) => account.id === id)

function authorize({ url, state }: Provider, query: URLSearchParams, response: ServerResponse): void {
  const account = query.get("account") ?? ""
  if (!isAccount(account)) {
    choose(response, `${url}/oauth/authorize?${query}`)
    return
  }
  const back = new URL(query.get("redirect_uri") ?? `${url}/oauth/code`)
  const redirectUri = back.href
  const code = issueCode(state, account, { challenge: query.get("code_challenge") ?? "", redirectUri })
  back.searchParams.set("code", code)
  back.searchParams.set("state", query.get("state") ?? "")
  response.writeHead(302, { location: back.href }).end()
}

/** The page on which a person chooses an account. The demo's accounts have no passwords. */
function choose(response: ServerResponse, page: string): void {
  const links = DEMO_ACCOUNTS.map(
    ({ id, email }) => `<p><a href="${escaped(`${page}&account=${id}`)}">${email}</a></p>`,
  )
  response.writeHead(200, { "content-type": "text/html" }).end(`<h1>Choose an account</h1>${links.join("")}`)
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

const behaviourOf = ({ behaviours }: Provider, account: string): Behaviour =>
  behaviours.get(account) ?? { answer: "ok", times: 0, used: 10 }

async function models(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const account = accountOfToken(provider.state, tokenOf(request))
  if (account === null)
    return send(response, 401, {
      error: { type: "authentication_error", message: "The access token is invalid or has expired." },
    })
  const behaviour = behaviourOf(provider, account)
  const isCall = request.method === "POST"
  const answer = behaviour.times > 0 ? behaviour.answer : "ok"
  const used = Math.min(100, behaviour.used + (isCall ? 2 : 0))
  if (isCall) provider.behaviours.set(account, { ...behaviour, used, times: Math.max(0, behaviour.times - 1) })
  const kind = request.headers["anthropic-version"] ? "messages" : "completions"
  const headers = quotaHeaders(kind, answer === "429" ? 100 : used)
  if (!isCall) return send(response, 200, { data: [{ id: "demo", type: "model" }] }, headers)
  const { model } = JSON.parse(await bodyOf(request)) as { model: string }
  if (!["/v1/messages", "/v1/chat/completions"].includes(path)) return send(response, 404, { error: { message: path } })
  if (answer === "hang") return
  if (/^\d{3}$/.test(answer)) {
    return send(response, Number(answer), { error: { type: "error", message: `As asked for: ${answer}` } }, headers)
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...headers })
  response.write(answerOf(kind, model, account, answer === "ok"))
  if (answer === "cut") response.destroy()
  else response.end()
}

const tokenOf = ({ headers }: IncomingMessage) =>
  String(headers["x-api-key"] ?? headers.authorization ?? "").replace(/^Bearer /, "")

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString("utf8")
}

function send(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Record<string, string> = {},
): void {
  const type = typeof body === "string" ? "text/plain" : "application/json"
  response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}
