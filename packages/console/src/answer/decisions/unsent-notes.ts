// A note of each decision that has not arrived, in the storage of the tab: after a reload the page can say what became
// of it. A note has no data of the answer.
import { type SignalAction, signalActions } from '@runwright/contract'

export interface UnsentNote {
  readonly runId: string
  readonly awaitSeq: number
  readonly action: SignalAction
  readonly name: string
  /** It was on its way when the page ended: it may have arrived. */
  readonly wasSending: boolean
}

export interface NoteKeeper {
  keep(key: string, note: UnsentNote): void
  drop(key: string): void
}

const storageKey = 'runwright.unsent-answers'

const isNote = (value: unknown): value is UnsentNote => {
  const note = value as Partial<UnsentNote> | null
  return (
    typeof note?.runId === 'string' &&
    typeof note.awaitSeq === 'number' &&
    typeof note.name === 'string' &&
    signalActions.some((action) => action === note.action)
  )
}

/** A storage that is full or forbidden costs the note, not the decision. */
const quietly = <Value>(use: () => Value): Value | undefined => {
  try {
    return use()
  } catch {
    return undefined
  }
}

export class StoredNotes implements NoteKeeper {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  readonly #notes = new Map<string, UnsentNote>()

  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = sessionStorage) {
    this.#storage = storage
  }

  /** The notes of the page before this one, once. */
  readonly take = (): readonly UnsentNote[] => {
    const text = quietly(() => this.#storage.getItem(storageKey))
    quietly(() => this.#storage.removeItem(storageKey))
    const stored = quietly<unknown>(() => JSON.parse(text ?? '[]'))
    return Array.isArray(stored) ? stored.filter(isNote) : []
  }

  keep(key: string, note: UnsentNote): void {
    this.#notes.set(key, note)
    this.#write()
  }

  drop(key: string): void {
    this.#notes.delete(key)
    this.#write()
  }

  #write(): void {
    const notes = [...this.#notes.values()]
    quietly(() => this.#storage.setItem(storageKey, JSON.stringify(notes)))
  }
}
