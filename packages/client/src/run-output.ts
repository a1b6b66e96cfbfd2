// The output of a run as a field of its own: on the wire it is `event_payload.value.output`.

/**
 * A run with the output of its result. `Output` is the type that you expect, such as the one of your
 * `input.output_schema`; the client does not check it.
 */
export type WithOutput<Found, Output = unknown> = Omit<Found, 'output'> & {
  /** The structured output of the run. Null until the run has succeeded, and if it has none. */
  readonly output: Output | null
}

/** The id of a run, or a run that `create`, `fork` or `get` has returned: then the type of its output is known. */
export type RunReference<Output = unknown> = string | { readonly id: string; readonly output?: Output | null }

export const idOf = (run: RunReference): string => (typeof run === 'string' ? run : run.id)

export function withOutput<Output, Found extends object>(run: Found): WithOutput<Found, Output> {
  const { event_payload } = run as { readonly event_payload?: { readonly value?: unknown } }
  const result = event_payload?.value as { readonly output?: Output | null } | null | undefined
  return { ...run, output: result?.output ?? null }
}
