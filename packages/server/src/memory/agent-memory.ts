// Memory for the agents of a process: saving notes, searching them, and recalling notes for a prompt.
import type { Logger } from '../runtime/logger.ts'
import type { MemoryScope } from '../store/memory/area.ts'
import { preparePgvector } from '../store/memory/pgvector.ts'
import type { MemoryRecord } from '../store/memory/rows.ts'
import { readMemoryVersion } from '../store/memory/version.ts'
import type { Database } from '../store/postgres/database.ts'
import type { Embedder } from './embedders/embedder.ts'
import { NotePresence } from './note-presence.ts'
import { type NewNote, NoteSaver, type SavingCall } from './note-saver.ts'
import { recallNotes } from './recall-notes.ts'
import { createMemoryParts, type MemoryParts } from './search/memory-parts.ts'
import { type FoundNote, searchNotes } from './search/search-notes.ts'

interface AgentMemoryOptions {
  readonly database: Database
  readonly embedder: Embedder
  readonly logger: Logger
}

// Includes loading the offline model on first use, which takes a second or two.
const searchEmbedSeconds = 5
const minSimilarity = 0.2

export class AgentMemory {
  readonly #parts: MemoryParts
  readonly #saver: NoteSaver
  readonly #presence: NotePresence
  readonly #logger: Logger
  #hasPgvector = false
  #starting: Promise<void> | undefined

  constructor({ database, embedder, logger }: AgentMemoryOptions) {
    this.#parts = createMemoryParts({ database, embedder, hasPgvector: () => this.#hasPgvector })
    this.#saver = new NoteSaver(this.#parts)
    this.#presence = new NotePresence(database)
    this.#logger = logger
  }

  /** Checks for pgvector in the background: memory works without it. */
  start(): void {
    this.#starting ??= this.#findPgvector()
  }

  async stop(): Promise<void> {
    await this.#starting
    await this.#parts.embedder.close()
  }

  async save(note: NewNote, call: SavingCall): Promise<string> {
    const id = await this.#saver.save(note, call)
    this.#presence.forget(call.customerId)
    return id
  }

  async search(
    { text, limit }: { readonly text: string; readonly limit: number },
    { signal, ...scope }: MemoryScope & { readonly signal: AbortSignal },
  ): Promise<FoundNote[]> {
    // Without notes there is nothing to find, and no embedding to pay for.
    if ((await readMemoryVersion(this.#parts.database, scope.customerId)) === 0) return []
    return searchNotes(this.#parts, scope, { text, limit, embedSeconds: searchEmbedSeconds, minSimilarity, signal })
  }

  readonly recall = async (
    about: MemoryScope & { readonly text: string },
    signal: AbortSignal,
  ): Promise<MemoryRecord[]> => {
    if (!(await this.#presence.hasNotes(about.customerId).catch(() => true))) return []
    const onFailure = (error: unknown) =>
      this.#logger.warn({ err: error }, 'memory search for a prompt failed; the prompt has no notes')
    return recallNotes(this.#parts, about, { signal, onFailure })
  }

  async #findPgvector(): Promise<void> {
    try {
      this.#hasPgvector = await preparePgvector(this.#parts.database)
    } catch (error) {
      this.#logger.info({ err: error }, 'pgvector is not available; memory works without it')
    }
  }
}
