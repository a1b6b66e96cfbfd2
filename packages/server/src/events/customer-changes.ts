// Which customers may have changed runs. Commits of this process name the customer; messages of other processes have
// its mark, which is short and tells nothing about it.
import { createHash } from 'node:crypto'
import { memoize } from '../domain/memoize.ts'
import type { Committed } from '../store/run-log/run-log.ts'

/** Two customers may have the same mark: then a change of one counts for both. */
export const customerMark: (customerId: string) => string = memoize(
  (customerId) => `of:${createHash('sha256').update(customerId).digest('hex').slice(0, 12)}`,
)

type OnChange = () => void

export class CustomerChanges {
  readonly #watchers = new Map<string, Set<OnChange>>()

  /** Returns the function that ends the watch. */
  watch(customerId: string, onChange: OnChange): () => void {
    const mark = customerMark(customerId)
    const watchers = this.#watchers.get(mark) ?? new Set()
    watchers.add(onChange)
    this.#watchers.set(mark, watchers)
    return () => {
      watchers.delete(onChange)
      if (watchers.size === 0 && this.#watchers.get(mark) === watchers) this.#watchers.delete(mark)
    }
  }

  /** What this process committed. */
  note(committed: readonly Committed[]): void {
    if (this.#watchers.size === 0) return
    this.noteMarks(new Set(committed.map(({ customerId }) => customerMark(customerId))))
  }

  /** The words of a message of another process. Those that are not marks are ignored. */
  noteMarks(words: Iterable<string>): void {
    for (const word of words) {
      for (const onChange of this.#watchers.get(word) ?? []) onChange()
    }
  }
}
