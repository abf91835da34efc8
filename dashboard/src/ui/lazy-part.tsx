import { type ComponentProps, type ComponentType, createElement, use, useReducer } from "react"
import { ApiError } from "../api/api-error.ts"
import { Button } from "./button.tsx"

/** A part of the app that did not load: the browser is offline, or a new version has replaced the files. */
export const partMissing = () =>
  new ApiError({
    code: "PART_NOT_LOADED",
    message: "This part of the app could not be loaded. Check the connection, and try again.",
    status: 0,
    requestId: null,
    retryAfter: null,
    faults: [],
    details: undefined,
  })

export const isPartMissing = (error: unknown) => error instanceof ApiError && error.code === "PART_NOT_LOADED"

const intoView = (box: HTMLElement | null) => box?.scrollIntoView({ block: "nearest" })

/**
 * Like React.lazy, for a part of a page, such as a dialog. If it does not load, the rest of the page stays, and a
 * button tries again.
 */
// biome-ignore lint/suspicious/noExplicitAny: as React.lazy, so that the properties are inferred
export function lazyPart<Part extends ComponentType<any>>(
  load: () => Promise<{ default: Part }>,
): ComponentType<ComponentProps<Part>> {
  let loading: Promise<Part | null> | undefined
  return function LazyPart(props: ComponentProps<Part>) {
    const [, retry] = useReducer((count: number) => count + 1, 0)
    loading ??= load().then(
      (module) => module.default,
      () => null,
    )
    const Found = use(loading)
    if (Found) return createElement(Found, props)
    const again = () => {
      loading = undefined
      retry()
    }
    return (
      <div
        ref={intoView}
        role="alert"
        className="flex flex-wrap items-center gap-4 rounded-md bg-bad-soft p-4 text-bad"
      >
        <p className="min-w-0 grow">{partMissing().message}</p>
        <Button onClick={again}>Try again</Button>
      </div>
    )
  }
}
