// Adds what the viewer does not tell screen readers: whether a field has its list open, that a button is one; and lets the keyboard scroll
// what scrolls. At most once for each picture, since the viewer writes much.
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

// The web app shows the theme that was chosen here.
function keepTheme() {
  try {
    const mode = localStorage.getItem("colorMode")
    if (mode === "light" || mode === "dark") localStorage.setItem("theme", mode)
  } catch {}
}
