// A page of runs that is read again when it may have changed.
import { toWireId } from '../../runtime/ids.ts'
import { isBusy } from '../../store/postgres/errors.ts'
import type { RunPage } from '../routes/run-page.ts'

export interface PageContent {
  /** The JSON of each run, by its wire id, newest first. */
  readonly runs: ReadonlyMap<string, string>
  readonly nextCursor: string | null
}

export async function toContent(page: RunPage): Promise<PageContent> {
  const runs = new Map<string, string>()
  let next = await page.next()
  for (; !next.done; next = await page.next()) runs.set(toWireId('run', next.value.id), next.value.text)
  return { runs, nextCursor: next.value }
}

export interface PageFollower {
  onContent(content: PageContent): void
  onError(error: unknown): void
}

interface LivePageOptions {
  readonly read: () => Promise<PageContent>
  /** Does the work after that of other pages of the customer. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** After a change. Changes in between are seen with the next read. */
const minPauseMs = 1_000
/** Without a known change, in case the message about one was lost. */
const maxPauseMs = 5_000
/** A page that takes long to read is read less often. */
const pausePerReadMs = 10

export class LiveRunPage {
  readonly #options: LivePageOptions
  readonly #followers = new Set<PageFollower>()
  #content: PageContent | undefined
  #mayHaveChanged = false
  #beganAt = Number.NEGATIVE_INFINITY
  #tookMs = 0
  #isReading = false
  /** A read that has not begun. */
  #nextRead: Promise<PageContent> | undefined

  constructor(options: LivePageOptions) {
    this.#options = options
  }

  /** As last read. */
  get content(): PageContent | undefined {
    return this.#content
  }

  follow(follower: PageFollower): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }

  noteChange(): void {
    this.#mayHaveChanged = true
  }

  isDue(now: number): boolean {
    if (this.#nextRead || this.#isReading || this.#followers.size === 0) return false
    const pauseMs = this.#mayHaveChanged ? minPauseMs : maxPauseMs
    return now - this.#beganAt >= Math.max(pauseMs, this.#tookMs * pausePerReadMs)
  }

  /** The content as of now or later. Calls before the read begins share it. */
  read(): Promise<PageContent> {
    this.#nextRead ??= this.#options.inTurn(() => this.#readNow())
    return this.#nextRead
  }

  async #readNow(): Promise<PageContent> {
    this.#nextRead = undefined
    this.#mayHaveChanged = false
    this.#isReading = true
    this.#beganAt = performance.now()
    try {
      return this.#take(await this.#options.read())
    } catch (error) {
      // A process that is too busy for the read tries it again.
      if (isBusy(error)) this.#mayHaveChanged = true
      else for (const follower of this.#followers) follower.onError(error)
      throw error
    } finally {
      this.#isReading = false
      this.#tookMs = performance.now() - this.#beganAt
    }
  }

  #take(content: PageContent): PageContent {
    if (this.#content && isSame(content, this.#content)) return this.#content
    this.#content = content
    for (const follower of this.#followers) follower.onContent(content)
    return content
  }
}

/** Also in the same order. */
function isSame(one: PageContent, other: PageContent): boolean {
  if (one.runs.size !== other.runs.size || one.nextCursor !== other.nextCursor) return false
  const others = other.runs.entries()
  for (const [id, text] of one.runs) {
    const [otherId, otherText] = others.next().value ?? []
    if (id !== otherId || text !== otherText) return false
  }
  return true
}
