import { lazy, Suspense } from "react"

const View = lazy(() => import("./markdown-view.tsx"))

/** A text of a model as Markdown. Until the renderer is loaded, it is plain text. */
export const Markdown = ({ text }: { text: string }) => (
  <Suspense fallback={<div className="whitespace-pre-wrap break-words">{text}</div>}>
    <View text={text} />
  </Suspense>
)
