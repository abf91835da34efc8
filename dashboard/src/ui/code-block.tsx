import { CopyButton } from "./copy.tsx"
import { plainJson } from "./plain.ts"

/** Code that can be copied, such as a curl line with the account's own values. */
export function CodeBlock({ code, label = "Code" }: { code: string; label?: string }) {
  return (
    <div className="flex items-start rounded-md border border-line bg-panel text-left">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="min-w-0 grow overflow-x-auto p-3">
        <pre className="leading-5">
          <code>{code}</code>
        </pre>
      </section>
      <CopyButton text={code} what={label.toLowerCase()} />
    </div>
  )
}

/** A value as indented JSON. */
export const Json = ({ value, label = "JSON" }: { value: unknown; label?: string }) => (
  <CodeBlock code={plainJson(value)} label={label} />
)
