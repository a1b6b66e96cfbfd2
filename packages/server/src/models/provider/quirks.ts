// Features that a server refused for a model. They are remembered for an hour, so that the next calls leave them out.
// After that they are tried again, because servers and models get replaced.

export type Quirk = 'no_response_format' | `no_schema:${string}` | 'no_tools' | `no_parameter:${string}`

const rememberedMs = 3_600_000

export class Quirks {
  readonly #until = new Map<Quirk, number>()
  readonly #onNew: (quirk: Quirk) => void

  constructor(onNew: (quirk: Quirk) => void = () => undefined) {
    this.#onNew = onNew
  }

  has(quirk: Quirk): boolean {
    return (this.#until.get(quirk) ?? 0) > performance.now()
  }

  remember(quirk: Quirk): void {
    this.#until.set(quirk, performance.now() + rememberedMs)
    this.#onNew(quirk)
  }

  get refusedParameters(): string[] {
    return [...this.#until.keys()]
      .filter((quirk) => quirk.startsWith('no_parameter:') && this.has(quirk))
      .map((quirk) => quirk.slice('no_parameter:'.length))
  }
}

const parameterWords =
  /(?:unsupported|unknown|unrecognized|unexpected|invalid|not supported)[^'"`]{0,60}['"`]([a-z_]{2,40})['"`]|['"`]([a-z_]{2,40})['"`][^'"`]{0,40}(?:not supported|unsupported|unknown|not permitted)/i

/** The form that Python servers use: location first, then the problem. */
const locatedWords =
  /"loc":\s*\[\s*"body",\s*"([a-z_]{2,40})"\s*\][^}]*(?:not permitted|unexpected|extra|not supported)/i

/** The parameter that an error message names, if a call can do without it. */
export function refusedParameter(words: string): string | undefined {
  const match = locatedWords.exec(words) ?? parameterWords.exec(words)
  const name = match?.[1] ?? match?.[2]
  return name !== undefined && optional.has(name) ? name : undefined
}

const optional: ReadonlySet<string> = new Set([
  'max_tokens',
  'temperature',
  'stop',
  'seed',
  'service_tier',
  'reasoning_effort',
  'stream_options',
  'parallel_tool_calls',
  'tool_choice',
])

/** Newer models refuse `max_tokens` and accept `max_completion_tokens` instead. */
export function withoutRefused(body: Record<string, unknown>, refused: readonly string[]): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.includes(name)))
  const limit = body.max_tokens
  return refused.includes('max_tokens') && limit !== undefined ? { ...kept, max_completion_tokens: limit } : kept
}
