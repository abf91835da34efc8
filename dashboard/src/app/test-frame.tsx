import { useNavigate, useSearch } from "@tanstack/react-router"

/** A coloured frame around every page that shows test data, with the way back. */
export function TestFrame() {
  const { test } = useSearch({ from: "/app" })
  const navigate = useNavigate()
  if (!test) return null
  return (
    <>
      <div aria-hidden="true" className="pointer-events-none fixed inset-0 z-40 border-4 border-warn" />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 bg-warn-soft px-4 py-2 text-warn sm:px-6">
        <span className="grow">
          <b>Test data.</b> Turns run the rehearsal model and cost nothing.
        </span>
        <button
          type="button"
          className="font-strong underline"
          onClick={() => void navigate({ to: ".", search: { test: undefined } })}
        >
          Show live data
        </button>
      </div>
    </>
  )
}
