import { useRead } from "../api/query.ts"
import { Count, Time } from "../ui/values.tsx"

interface SeenContextProps {
  conversation: string
  of: { test: true | undefined }
}

/** The part of a conversation that its agent sees, with the summary of the turns before it. */
export function SeenContext({ conversation, of }: SeenContextProps) {
  const query = { test: of.test && ("true" as const) }
  const { data } = useRead("getConversation", { path: { conversation_id: conversation }, query })
  if (!data) return null
  const { turns, summary, tokens } = data.context
  return (
    <div className="flex flex-col gap-2">
      <p>
        The agent sees <Count value={turns.length} /> of these turns{summary && " and a summary"}, about{" "}
        <Count value={tokens} /> tokens.
      </p>
      {summary && (
        <section aria-label="Summary" className="flex flex-col gap-1 rounded-md border border-line bg-panel p-3">
          <p className="text-muted text-xs">
            Summary of <Count value={summary.turns} /> turns, written by {summary.model}{" "}
            <Time at={summary.created_at} />
          </p>
          <p className="max-h-[240px] overflow-y-auto whitespace-pre-wrap break-words">{summary.text}</p>
        </section>
      )}
    </div>
  )
}
