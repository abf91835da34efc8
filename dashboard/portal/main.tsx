/** @jsxImportSource preact */
import { render } from "preact"
import { applyTheme, tellHeight } from "./frame.ts"
import { Portal } from "./portal.tsx"
import { language, say } from "./texts.ts"

applyTheme()
document.documentElement.lang = language
document.title = say("title")
const root = document.getElementById("portal")
if (root) {
  root.replaceChildren()
  render(<Portal />, root)
  tellHeight(root)
}
