import { diffLines } from "diff"
import type { ConfigVersion } from "../api/operations.ts"

/** The number of unchanged lines that are shown around a change. */
const AROUND = 3

interface Line {
  kind: "same" | "added" | "removed" | "left-out"
  text: string
}

/** A version as text, one part after the other, for a comparison of lines. */
function textOf({ model, manifest, tools, mcp_servers }: ConfigVersion): string {
  const { instructions, ...rest } = manifest
  const parts: [string, string][] = [
    ["Default model", model ?? "service default"],
    ["Instructions", instructions ?? "none"],
    ["Manifest", JSON.stringify(rest, null, 2)],
    ...tools.map((tool): [string, string] => [`Tool ${tool.name}`, JSON.stringify(tool, null, 2)]),
    ...mcp_servers.map((server): [string, string] => [`MCP server ${server.name}`, JSON.stringify(server, null, 2)]),
  ]
  return parts.map(([title, text]) => `# ${title}\n${text}\n`).join("\n")
}

const KINDS = { same: "  ", added: "+ ", removed: "− ", "left-out": "  " } as const

function linesOf(before: ConfigVersion, after: ConfigVersion): Line[] {
  const parts = diffLines(textOf(before), textOf(after))
  return parts.flatMap(({ value, added, removed }, at) => {
    const texts = value.replace(/\n$/, "").split("\n")
    const line = (text: string): Line => ({ kind: added ? "added" : removed ? "removed" : "same", text })
    if (added || removed || texts.length <= 2 * AROUND + 2) return texts.map(line)
    const [head, tail] = [at === 0 ? 0 : AROUND, at === parts.length - 1 ? 0 : AROUND]
    const hidden = texts.length - head - tail
    return [
      ...texts.slice(0, head).map(line),
      { kind: "left-out", text: `… ${hidden} unchanged lines` },
      ...texts.slice(texts.length - tail).map(line),
    ]
  })
}

const LOOKS = {
  same: "",
  added: "bg-ok-soft text-ok no-underline",
  removed: "bg-bad-soft text-bad no-underline",
  "left-out": "text-muted",
}

/** The differences between two versions, line by line. */
export function VersionDiff({ before, after }: { before: ConfigVersion; after: ConfigVersion }) {
  const lines = linesOf(before, after)
  const changed = lines.some(({ kind }) => kind === "added" || kind === "removed")
  return (
    <div className="flex flex-col gap-2">
      <p className="text-muted">
        From version {before.version} to version {after.version} (<code>{after.change}</code>).
        {!changed && " The versions do not differ. Values of secrets are not compared."}
      </p>
      {changed && <Changes lines={lines} label={`Changes from version ${before.version} to ${after.version}`} />}
    </div>
  )
}

const Changes = ({ lines, label }: { lines: Line[]; label: string }) => (
  <div className="max-h-[560px] overflow-hidden rounded-md border border-line bg-panel">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
    <section tabIndex={0} aria-label={label} className="max-h-[558px] overflow-auto py-2">
      <pre className="whitespace-pre-wrap break-words text-xs leading-5">
        {lines.map(({ kind, text }, at) => {
          const Tag = kind === "added" ? "ins" : kind === "removed" ? "del" : "span"
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity except its position
            <Tag key={at} className={`block pr-3 pl-7 -indent-4 ${LOOKS[kind]}`}>
              {KINDS[kind]}
              {text}
            </Tag>
          )
        })}
      </pre>
    </section>
  </div>
)
