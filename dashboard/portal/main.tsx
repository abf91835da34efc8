/** @jsxImportSource preact */
import { render } from "preact"
import { applyTheme, tellHeight } from "./frame.ts"
import { Portal } from "./portal.tsx"

applyTheme()
const root = document.getElementById("portal")
if (root) {
  root.replaceChildren()
  render(<Portal />, root)
  tellHeight(root)
}
