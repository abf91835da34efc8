import { useState } from "react"
import { useChange } from "../api/query.ts"
import { Button } from "./button.tsx"

const LOOK = "min-h-8 rounded-md border border-edge bg-bg px-2 text-text"

/** Who changes something that is hard to take back says once more that it is them. Then the change is pressed again. */
export function ProveAgain() {
  const prove = useChange("reauthenticate", { changes: [] })
  const [proof, setProof] = useState({ password: "", code: "" })
  const send = () => {
    const { password, code } = proof
    prove.mutate({ body: { ...(password && { password }), ...(code && { code }) } })
  }
  if (prove.isSuccess) return <p role="status">Thank you. Now press again.</p>
  return (
    <div className="flex flex-wrap items-end gap-2 text-text">
      {(["password", "code"] as const).map((name) => (
        <label key={name} className="flex flex-col gap-1 text-xs">
          {name === "password" ? "Your password" : "Code of your second factor, if you have one"}
          <input
            type={name === "password" ? "password" : "text"}
            autoComplete={name === "password" ? "current-password" : "one-time-code"}
            value={proof[name]}
            className={LOOK}
            onChange={({ target }) => setProof({ ...proof, [name]: target.value })}
          />
        </label>
      ))}
      <Button busy={prove.isPending} onClick={send}>
        It is me
      </Button>
      {prove.error && <p role="alert">{prove.error.message}</p>}
    </div>
  )
}
