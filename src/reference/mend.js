// Adds what the viewer does not tell screen readers: whether a field has its list open, and that a button is one.
new MutationObserver(() => {
  for (const field of document.querySelectorAll('[role="combobox"]:not([aria-expanded])')) {
    field.setAttribute("aria-expanded", String(field.hasAttribute("aria-controls")))
  }
  for (const button of document.querySelectorAll('button[role="none"]')) button.removeAttribute("role")
}).observe(document, { childList: true, subtree: true })
