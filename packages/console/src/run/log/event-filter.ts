// The events that the raw log shows: by type, by step and by text. New events are checked once, not all of them again.
import type { RunEvent } from '@runwright/client'

export interface EventFilter {
  /** Empty: all. */
  readonly type: string
  readonly taskId: string
  readonly text: string
}

const taskOf = (event: RunEvent): string | undefined => {
  const { value } = event.payload
  return 'task_id' in value ? value.task_id : undefined
}

const matches = (event: RunEvent, { type, taskId, text }: EventFilter): boolean => {
  if (type !== '' && event.type !== type) return false
  if (taskId !== '' && taskOf(event) !== taskId) return false
  return text === '' || JSON.stringify(event).toLowerCase().includes(text)
}

/** Indexes into the list of events. */
export class FilteredEvents {
  readonly #filter: EventFilter
  readonly #isOpen: boolean
  readonly #found: number[] = []
  #checked = 0

  constructor(filter: EventFilter) {
    this.#filter = { ...filter, text: filter.text.trim().toLowerCase() }
    this.#isOpen = filter.type === '' && filter.taskId === '' && this.#filter.text === ''
  }

  /** Takes in events up to `count`, and returns how many match. */
  update(events: readonly RunEvent[], count: number): number {
    if (this.#isOpen) return count
    for (; this.#checked < count; this.#checked += 1) {
      const event = events[this.#checked]
      if (event && matches(event, this.#filter)) this.#found.push(this.#checked)
    }
    return this.#found.length
  }

  /** The place of a row in the list of events. */
  indexOf(row: number): number {
    return this.#isOpen ? row : (this.#found[row] ?? -1)
  }

  /** The row of the event with this `seq`, or of the next one that matches; -1 if there is none. */
  rowOf(events: readonly RunEvent[], seq: number, count: number): number {
    for (let row = 0; row < count; row += 1) {
      if ((events[this.indexOf(row)]?.seq ?? 0) >= seq) return row
    }
    return -1
  }
}
