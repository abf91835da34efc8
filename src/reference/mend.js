// Adds what the viewer does not tell screen readers: whether a field's list is open, and that a button is a button.
// Makes scrollable boxes focusable, so that the keyboard can scroll them. Runs at most once per frame: the viewer
// changes the page often.
let isDue = false
function mend() {
  isDue = false
  for (const field of document.querySelectorAll('[role="combobox"]:not([aria-expanded])')) {
    field.setAttribute("aria-expanded", String(field.hasAttribute("aria-controls")))
  }
  for (const button of document.querySelectorAll('button[role="none"]')) button.removeAttribute("role")
  for (const box of document.querySelectorAll(".scalar-card-content.custom-scroll:not([tabindex])")) box.tabIndex = 0
  keepTheme()
}
new MutationObserver(() => {
  if (!isDue) requestAnimationFrame(mend)
  isDue = true
}).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] })

// The web app uses the theme that the reader chose on this page.
function keepTheme() {
  try {
    const mode = localStorage.getItem("colorMode")
    if (mode === "light" || mode === "dark") localStorage.setItem("theme", mode)
  } catch {}
}
