// A note of each decision that has not arrived, in the storage of the tab: after a reload the page can say what became
// of it. A note has no data of the answer, and is told only to the one who decided: another key, also of another
// customer, may sign in to the same tab.
import { type SignalAction, signalActions } from '@runwright/contract'
import type { SignedInKey } from '../../session/signed-in-key.ts'

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

export interface StoredNote extends UnsentNote {
  readonly owner: string
}

type Owner = Pick<SignedInKey, 'customer_id' | 'key_id' | 'person'>

/** A person who signs in again may have another key. Undefined as long as the service has not said who is signed in. */
const ownerOf = (by: Owner | undefined): string | undefined =>
  by && JSON.stringify([by.customer_id, by.person === null ? { key: by.key_id } : { person: by.person }])

export const notesOf = (notes: readonly StoredNote[], by: Owner | undefined): readonly UnsentNote[] =>
  notes.filter(({ owner }) => owner === ownerOf(by))

const storageKey = 'runwright.unsent-answers'

const isNote = (value: unknown): value is StoredNote => {
  const note = value as Partial<StoredNote> | null
  return (
    typeof note?.runId === 'string' &&
    typeof note.awaitSeq === 'number' &&
    typeof note.name === 'string' &&
    typeof note.owner === 'string' &&
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
  readonly #signedIn: () => Owner | undefined
  readonly #notes = new Map<string, StoredNote>()

  constructor(
    signedIn: () => Owner | undefined,
    storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = sessionStorage,
  ) {
    this.#signedIn = signedIn
    this.#storage = storage
  }

  /** The notes of the page before this one, once. */
  readonly take = (): readonly StoredNote[] => {
    const text = quietly(() => this.#storage.getItem(storageKey))
    quietly(() => this.#storage.removeItem(storageKey))
    const stored = quietly<unknown>(() => JSON.parse(text ?? '[]'))
    return Array.isArray(stored) ? stored.filter(isNote) : []
  }

  keep(key: string, note: UnsentNote): void {
    this.#notes.set(key, { ...note, owner: ownerOf(this.#signedIn()) ?? '' })
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
