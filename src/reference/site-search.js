import { createSearch } from "./search.ts"

const dialog = document.querySelector("dialog.search")
let search
let input
let list
let status

/** Opens the search with the link in the header, with `/` and with Ctrl K. */
export function listenForSearch() {
  document.querySelector(".find").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey) return
    event.preventDefault()
    open()
  })
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]")
    const isShortcut = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))
    if (!isShortcut || dialog.open) return
    event.preventDefault()
    open()
  })
}

function open() {
  if (!input) build()
  dialog.showModal()
  input.select()
  search ??= load().catch(() => {
    search = undefined
    status.textContent = "The search could not be loaded. Check the connection, and try again."
    return null
  })
  void show()
}

async function load() {
  const response = await fetch(document.body.dataset.index)
  return createSearch(await response.json())
}

function build() {
  input = document.createElement("input")
  input.type = "search"
  input.setAttribute("aria-label", "Search the docs")
  input.placeholder = "Ask: file size, 402, verify webhook …"
  input.autocomplete = "off"
  list = document.createElement("ol")
  status = document.createElement("p")
  status.setAttribute("role", "status")
  dialog.append(input, status, list)
  input.addEventListener("input", show)
  dialog.addEventListener("keydown", move)
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target.closest("a")) dialog.close()
  })
}

async function show() {
  const question = input.value.trim()
  const find = await search
  if (!find || question !== input.value.trim()) return
  const found = question === "" ? [] : find(question)
  list.replaceChildren(...found.map(resultOf))
  status.textContent =
    question === ""
      ? ""
      : found.length === 0
        ? "Nothing matches. Try one word, such as “cap”."
        : `${found.length} results`
}

function resultOf({ title, text, page, href }) {
  const item = document.createElement("li")
  const link = document.createElement("a")
  link.href = href
  const parts = [
    ["b", title],
    ["i", page],
    ["span", text],
  ]
  for (const [name, content] of parts)
    link.append(Object.assign(document.createElement(name), { textContent: content }))
  item.append(link)
  return item
}

/** The arrow keys move through the results. Enter in the field opens the first. */
function move(event) {
  const links = [...list.querySelectorAll("a")]
  const at = links.indexOf(document.activeElement)
  if (event.key === "Enter" && document.activeElement === input) links[0]?.click()
  else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === "ArrowUp") (at <= 0 ? input : links[at - 1]).focus()
  // Chromium would first clear the field.
  else if (event.key === "Escape") dialog.close()
  else return
  event.preventDefault()
}
