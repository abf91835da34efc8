import { lazy, Suspense } from "react"

interface MarkdownProps {
  text: string
}

const Plain = ({ text }: MarkdownProps) => <div className="whitespace-pre-wrap break-words">{text}</div>

const View = lazy(() => import("./markdown-view.tsx").catch(() => ({ default: Plain })))

/** A text of a model as Markdown. Until the renderer is loaded, and if it does not load, it is plain text. */
export const Markdown = ({ text }: MarkdownProps) => (
  <Suspense fallback={<Plain text={text} />}>
    <View text={text} />
  </Suspense>
)
