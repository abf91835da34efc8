import { useSearch } from "@tanstack/react-router"
import type { AccountSetup } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { useLiveTurn } from "../turns/live-turn.ts"
import { installCommand, pipCommand, turnAsPython, turnAsTypeScript } from "../turns/turn-code.ts"
import { TurnState } from "../turns/turn-table.tsx"
import { isOpenTurn } from "../turns/turn-words.ts"
import { CodeBlock } from "../ui/code-block.tsx"
import { exportBaseUrl, firstTurnCurl, GREETING } from "../ui/commands.ts"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Tabs } from "../ui/tabs.tsx"

/** The code of the first turn, and the turn itself as it runs. */
export function FirstTurnStep({ setup, test }: { setup: AccountSetup; test: true | undefined }) {
  return (
    <>
      <p className="text-muted">
        {setup.own_space
          ? `The turn runs in your space ${setup.own_space.title}. The key needs access to that space.`
          : "The code creates a space for an agent, and sends a turn to it."}
      </p>
      <FirstTurnCode space={setup.own_space?.space_id} />
      {setup.key_turn ? (
        <WatchedTurn turnId={setup.key_turn.turn_id} test={test} />
      ) : (
        <p role="status" className="flex items-center gap-2 text-muted">
          <Icon name="waiting" />
          Waiting for the first turn of your key. It appears here.
        </p>
      )}
    </>
  )
}

function FirstTurnCode({ space }: { space: string | undefined }) {
  const { tab = "curl" } = useSearch({ from: "/app/home" })
  const turn = { space, ...GREETING }
  return (
    <Tabs
      label="The first turn as code"
      value={tab}
      tabs={[
        {
          value: "curl",
          label: "curl",
          content: () => <CodeBlock code={firstTurnCurl(space)} label="The first turn as curl" />,
        },
        {
          value: "typescript",
          label: "TypeScript",
          content: () => (
            <div className="flex flex-col gap-2">
              <p className="text-muted">In a shell, with the key in TURNPIKE_API_KEY. It needs no other network.</p>
              <CodeBlock code={`${exportBaseUrl()}\n${installCommand()}`} label="The installation of the client" />
              <p className="text-muted">
                Save this as <code>turn.mjs</code>, and run <code>node turn.mjs</code>.
              </p>
              <CodeBlock code={turnAsTypeScript(turn)} label="The first turn as TypeScript" />
            </div>
          ),
        },
        {
          value: "python",
          label: "Python",
          content: () => (
            <div className="flex flex-col gap-2">
              <p className="text-muted">
                In a shell, with the key in TURNPIKE_API_KEY. It needs Python 3.10 or newer. If pip does not find the
                package <code>httpx</code>, it needs a package index too.
              </p>
              <CodeBlock code={`${exportBaseUrl()}\n${pipCommand()}`} label="The installation of the Python client" />
              <p className="text-muted">
                Save this as <code>turn.py</code>, and run <code>python3 turn.py</code>.
              </p>
              <CodeBlock code={turnAsPython(turn)} label="The first turn as Python" />
            </div>
          ),
        },
      ]}
    />
  )
}

/** Shows the state of a turn and streams its text. */
function WatchedTurn({ turnId, test }: { turnId: string; test: true | undefined }) {
  const { data: turn } = useRead("getTurn", { path: { turn_id: turnId }, query: { test: test && "true" } })
  const live = useLiveTurn(turnId, { open: turn !== undefined && isOpenTurn(turn.state), test })
  if (!turn) return null
  const text = turn.result ?? turn.error?.message ?? live.findLast((step) => step.text)?.text ?? "…"
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <TurnState turn={turn} />
        <TextLink to="/turns/$turnId" params={{ turnId }}>
          Steps and bill
        </TextLink>
      </div>
      <p aria-live="polite" className="whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-3">
        {text}
      </p>
    </div>
  )
}
