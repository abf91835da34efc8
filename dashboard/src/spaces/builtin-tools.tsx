import { Checkbox } from "../ui/field.tsx"
import { BUILTIN_TOOLS, type BuiltinTool } from "./manifest-draft.ts"

interface BuiltinToolsProps {
  chosen: BuiltinTool[] | null
  onChange: (chosen: BuiltinTool[] | null) => void
}

/** The choice of an agent's built-in tools. */
export function BuiltinTools({ chosen, onChange }: BuiltinToolsProps) {
  const toggle = (tool: BuiltinTool, on: boolean) =>
    onChange(on ? [...(chosen ?? []), tool] : (chosen ?? []).filter((one) => one !== tool))
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-strong">Built-in tools</legend>
      <Checkbox
        label="Default tools"
        hint="The file tools, except with openai-compatible models."
        checked={chosen === null}
        onChange={({ target }) => onChange(target.checked ? null : ["list_files", "read_file", "write_file"])}
      />
      {chosen !== null && (
        <div className="ml-6 flex flex-col gap-2">
          {BUILTIN_TOOLS.map(([tool, label]) => (
            <Checkbox
              key={tool}
              label={
                <>
                  <code>{tool}</code> <span className="text-muted">{label}</span>
                </>
              }
              checked={chosen.includes(tool)}
              onChange={({ target }) => toggle(tool, target.checked)}
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}
