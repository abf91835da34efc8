import { freshKeys } from "./site-samples.js"

const KEPT = "docs.test-key"
/** Names and values that samples may contain. A value of another form is not shown. */
const FORMS = {
  TURNPIKE_BASE_URL: /^https?:\/\/[\w.:[\]-]+$/,
  TURNPIKE_API_KEY: /^[a-z][a-z0-9]*_test_\w+$/,
  TURNPIKE_SPACE: /^spc_\w+$/,
}
const DAYS = 7
const DAY_MS = 86_400_000

/** Puts the address of this server into all samples, and the reader's test key and test space once there is one. */
export async function fillValues() {
  const panel = document.querySelector(".values")
  if (!panel) return
  freshKeys(document)
  show({ TURNPIKE_BASE_URL: location.origin })
  const { session } = await read("/api/auth/ways")
  if (session !== "open") return keep(null)
  const kept = keptValues()
  if (kept) return show(kept, panel)
  const link = panel.querySelector("a")
  link.setAttribute("role", "button")
  link.addEventListener("click", async (event) => {
    event.preventDefault()
    if (link.ariaBusy === "true") return
    link.ariaBusy = "true"
    try {
      const values = await makeValues()
      keep(values)
      show(values, panel)
    } catch (error) {
      tell(panel, error)
    }
    link.ariaBusy = "false"
  })
}

/** Replaces each variable that has a value, as its language writes it. */
function show(values, panel) {
  for (const span of document.querySelectorAll("[data-value]")) {
    const name = span.dataset.value
    const value = values[name]
    if (value === undefined || !FORMS[name]?.test(value)) continue
    const { lang } = span.closest("figure").dataset
    span.textContent = lang === "bash" || lang === "sh" ? value : JSON.stringify(value)
  }
  if (!panel) return
  panel.querySelector("a").hidden = true
  panel.querySelector("p").textContent =
    "The samples contain your test key and your test space. The key costs nothing and expires within days. Use a live key only on your server."
}

/** Creates a test key, and a test space if there is none. Never reads or creates a live key. */
async function makeValues() {
  const expires_at = new Date(Date.now() + DAYS * DAY_MS).toISOString()
  const key = await send("/api/account/keys", { name: "Samples of the docs", scope: "all", test: true, expires_at })
  const { items } = await read("/api/account/spaces?test=true&limit=1")
  const space = items?.[0] ?? (await send("/api/account/spaces?test=true", { title: "Samples of the docs" }))
  return { TURNPIKE_API_KEY: key.value, TURNPIKE_SPACE: space.space_id, expires_at }
}

async function read(path) {
  const response = await fetch(path, { headers: { accept: "application/json" } }).catch(() => null)
  return response?.ok ? response.json() : {}
}

async function send(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => null)
  const answer = await response?.json().catch(() => ({}))
  if (response?.ok) return answer
  throw Object.assign(new Error(answer?.detail ?? "The service does not answer. Try again."), { code: answer?.code })
}

function tell(panel, { code, message }) {
  const text = panel.querySelector("p")
  if (code !== "REAUTHENTICATION_REQUIRED") {
    text.textContent = String(message)
    return
  }
  const link = document.createElement("a")
  link.href = `/sign-in?again=true&next=${encodeURIComponent(location.pathname)}`
  link.textContent = "Sign in again"
  text.replaceChildren("You signed in a while ago. ", link, ", then create the test key.")
}

/** The values of this tab, until the key expires. */
function keptValues() {
  try {
    const values = JSON.parse(sessionStorage.getItem(KEPT) ?? "null")
    return values && new Date(values.expires_at) > new Date() ? values : null
  } catch {
    return null
  }
}

function keep(values) {
  try {
    if (values) sessionStorage.setItem(KEPT, JSON.stringify(values))
    else sessionStorage.removeItem(KEPT)
  } catch {
    // Without storage, the values last until the page is closed.
  }
}
