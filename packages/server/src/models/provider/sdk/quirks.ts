// Features that a server refused for a model. They are remembered for an hour, so that the next calls leave them out.
// After that they are tried again, because servers and models get replaced.

export type Quirk =
  | 'no_response_format'
  | `no_schema:${string}`
  | 'no_tools'
  | 'no_files'
  | 'no_reasoning'
  | `no_parameter:${string}`

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
