// The models of this process by name. Each one is opened once, at startup or when a file that names it is loaded, so
// that a wrong name is told before a run needs the model.
import type { Model } from './port/model.ts'

interface ModelSource {
  readonly openOne: (name: string) => Promise<Model>
  /** The models that take over when this one is not available. */
  readonly fallbacksOf: (name: string) => readonly string[]
}

export class ModelBook {
  readonly #source: ModelSource
  readonly #opened = new Map<string, Promise<Model>>()
  readonly #lists = new Map<string, readonly Model[]>()

  constructor(source: ModelSource) {
    this.#source = source
  }

  /**
   * Opens the models of a comma-separated list, in the order in which they are tried: those of the list, then their
   * fallbacks. Throws a SettingsError if a name or the provider's settings are invalid.
   */
  async open(list: string): Promise<readonly Model[]> {
    const models = await Promise.all(this.namesOf(list).map((name) => this.openOne(name)))
    this.#lists.set(list, models)
    return models
  }

  /** The models of a list that was opened before. */
  find(list: string): readonly Model[] | undefined {
    return this.#lists.get(list)
  }

  /** The names of a list and of its fallbacks. The fallbacks of a fallback do not count, so there are no circles. */
  namesOf(list: string): readonly string[] {
    const names = list.split(',').map((name) => name.trim())
    return [...new Set([...names, ...names.flatMap((name) => this.#source.fallbacksOf(name))])]
  }

  openOne(name: string): Promise<Model> {
    const model = this.#opened.get(name) ?? this.#source.openOne(name)
    this.#opened.set(name, model)
    return model
  }
}
