import { useState } from "react"
import { IconButton } from "./button.tsx"

/** Copies a text and confirms it. `what` names the text, as in "Copy the key's id". */
export function CopyButton({ text, what = "it", small = false }: { text: string; what?: string; small?: boolean }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <>
      <IconButton
        label={copied ? "Copied" : `Copy ${what}`}
        icon={copied ? "check" : "copy"}
        onClick={() => void copy()}
        className={small ? "size-6" : ""}
      />
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  )
}
