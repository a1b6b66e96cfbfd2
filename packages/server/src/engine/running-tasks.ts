// The tasks of a run that are executing, and the ends that the execution has not taken yet.
import type { TaskKey } from '../domain/run/journal.ts'
import { startTimer } from '../runtime/backoff.ts'
import type { TaskEnd } from './tasks/task-end.ts'

type Ending =
  | { readonly kind: 'ended'; readonly key: TaskKey; readonly end: TaskEnd }
  | { readonly kind: 'threw'; readonly key: TaskKey; readonly error: unknown }

export class RunningTasks {
  readonly #running = new Map<TaskKey, Promise<void>>()
  readonly #ended: Ending[] = []
  #onEnded: () => void = () => undefined

  /** A task counts until its end was taken. */
  get size(): number {
    return this.#running.size
  }

  get keys(): Iterable<TaskKey> {
    return this.#running.keys()
  }

  start(key: TaskKey, task: Promise<TaskEnd>): void {
    const ended = task.then(
      (end) => this.#add({ kind: 'ended', key, end }),
      (error: unknown) => this.#add({ kind: 'threw', key, error }),
    )
    this.#running.set(key, ended)
  }

  #add(ending: Ending): void {
    this.#ended.push(ending)
    this.#onEnded()
  }

  /** Takes the next end, or returns undefined if none comes within the time. Throws what the task has thrown. */
  async takeEnd(withinMs: number | undefined): Promise<TaskEnd | undefined> {
    if (this.#ended.length === 0) await this.#nextEnd(withinMs)
    if (this.#ended.length === 0) return undefined
    // Collect all tasks that end in the same tick.
    if (this.#running.size > 1) await new Promise((resolve) => setImmediate(resolve))
    // Successes first, so that the failure of another step does not discard them.
    const succeeded = this.#ended.findIndex((ending) => ending.kind === 'ended' && ending.end.kind === 'succeeded')
    const ending = this.#ended.splice(Math.max(0, succeeded), 1)[0] as Ending
    this.#running.delete(ending.key)
    if (ending.kind === 'threw') throw ending.error
    return ending.end
  }

  #nextEnd(withinMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = withinMs === undefined ? undefined : startTimer(Math.max(0, withinMs), resolve)
      this.#onEnded = () => {
        cancel?.()
        resolve()
      }
    })
  }

  /** Resolves when all have ended, however they did. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
