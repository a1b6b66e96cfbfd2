// The models of this process by name. Each one is opened once, at startup or when a file that names it is loaded, so
// that a wrong name is told before a run needs the model.
import type { Model } from './port/model.ts'

export class ModelBook {
  readonly #openOne: (name: string) => Promise<Model>
  readonly #opened = new Map<string, Promise<Model>>()
  readonly #lists = new Map<string, readonly Model[]>()

  constructor(openOne: (name: string) => Promise<Model>) {
    this.#openOne = openOne
  }

  /**
   * Opens the models of a comma-separated list, in the order in which they are tried. Throws a SettingsError if a name
   * or the provider's settings are invalid.
   */
  async open(list: string): Promise<readonly Model[]> {
    const models = await Promise.all(list.split(',').map((name) => this.#open(name.trim())))
    this.#lists.set(list, models)
    return models
  }

  /** The models of a list that was opened before. */
  find(list: string): readonly Model[] | undefined {
    return this.#lists.get(list)
  }

  #open(name: string): Promise<Model> {
    const model = this.#opened.get(name) ?? this.#openOne(name)
    this.#opened.set(name, model)
    return model
  }
}
