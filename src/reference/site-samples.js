const root = document.documentElement

/**
 * Samples in several languages as tabs. The browser's own search (Ctrl F) also finds hidden samples, and then shows
 * them.
 */
export function showTabs() {
  const groups = [...document.querySelectorAll(".samples")]
  for (const group of groups) {
    group.addEventListener("beforematch", ({ target }) => choose(target.dataset.lang))
    group.querySelector(".tabs").addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return
      const before = target.getBoundingClientRect().top
      choose(target.dataset.lang)
      // Samples above this one change their height, too. The tab stays under the pointer.
      scrollBy(0, target.getBoundingClientRect().top - before)
      try {
        localStorage.setItem("docs.language", target.dataset.lang)
      } catch {
        // Without storage, the choice lasts until the page is closed.
      }
    })
  }
  choose(root.dataset.lang)

  function choose(lang) {
    root.dataset.lang = lang
    for (const group of groups) {
      const blocks = [...group.querySelectorAll("figure")]
      const shown = blocks.find((block) => block.dataset.lang === lang) ?? blocks[0]
      for (const block of blocks) {
        if (block === shown) block.removeAttribute("hidden")
        else block.setAttribute("hidden", "until-found")
      }
      for (const tab of group.querySelectorAll(".tabs button")) {
        tab.setAttribute("aria-pressed", String(tab.dataset.lang === shown.dataset.lang))
      }
    }
  }
}

/** A button at each block of code that copies it. Each copy of a sample has a new idempotency key. */
export function copyCode() {
  for (const block of document.querySelectorAll("figure.code")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy"
    button.textContent = "Copy"
    button.addEventListener("click", async () => {
      const code = block.querySelector("code")
      const said = await navigator.clipboard.writeText(code.textContent).then(
        () => "Copied",
        () => "Select the text and copy it",
      )
      button.textContent = said
      setTimeout(() => (button.textContent = "Copy"), 2000)
      freshKeys(code)
    })
    block.append(button)
  }
}

/** Gives the samples inside an element new idempotency keys. */
export function freshKeys(inside) {
  for (const span of inside.querySelectorAll('[data-value="fresh"]')) span.textContent = crypto.randomUUID()
}
