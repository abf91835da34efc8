import { CodeBlock } from "../ui/code-block.tsx"
import { firstTurnCurl } from "../ui/commands.ts"
import { ButtonLink, OutLink } from "../ui/link.tsx"
import { PublicFrame } from "./frame.tsx"
import { accountWords, useWays } from "./use-ways.ts"

const FACTS = [
  ["Durable", "Every accepted turn ends as done, failed or cancelled, with a reason, whatever fails in between."],
  ["Isolated", "Each space has its own instructions, tools, secrets and files. Spaces share none of them."],
  [
    "Exactly billed",
    "Credit is held before it is spent. Every charge is an entry of the ledger, exact to the credit micro.",
  ],
]

/** The public page at `/`. */
export function WelcomePage() {
  const ways = useWays()
  return (
    <PublicFrame>
      <title>Turnpike: agent turns as a service</title>
      <div className="flex flex-col gap-3">
        <h1 className="max-w-[24ch] text-lg">Agent turns as a service</h1>
        <p className="max-w-[64ch] text-md text-muted">
          Send a request of your customer. An agent works on it with your tools and files. You get its answer, its steps
          and its cost.
        </p>
        <div className="flex flex-wrap items-center gap-4 pt-2">
          {ways?.session === "open" ? (
            <ButtonLink to="/home" kind="primary">
              Go to your account
            </ButtonLink>
          ) : (
            <ButtonLink to="/sign-in" kind="primary">
              Sign in
            </ButtonLink>
          )}
          <OutLink href="/docs/start">Start</OutLink>
          <OutLink href="/docs">Docs</OutLink>
        </div>
        <p className="min-h-5 text-muted">{ways && ways.session !== "open" && accountWords(ways)}</p>
      </div>
      <section aria-label="The first turn" className="flex flex-col gap-2">
        <h2 className="text-md">The first turn</h2>
        <CodeBlock code={firstTurnCurl(undefined)} label="The first turn as curl" />
      </section>
      <dl className="grid gap-6 border-line border-t pt-6 sm:grid-cols-3">
        {FACTS.map(([name, text]) => (
          <div key={name}>
            <dt className="font-strong">{name}</dt>
            <dd className="text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </PublicFrame>
  )
}
