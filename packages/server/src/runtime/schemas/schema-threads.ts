// Compiles JSON Schemas and checks values against them, on worker threads with limits on time and memory. A schema and
// a value come from clients, models and tools. Whatever they make the thread do, the event loop goes on: a thread that
// takes too long is terminated, and the next job gets a new one.
import { hash } from 'node:crypto'
import type { Ended } from '../threads/thread.ts'
import { type PoolOptions, type Refused, ThreadPool } from '../threads/thread-pool.ts'
import type { SchemaError, SchemaJob, SchemaLimits, SchemaOutcome } from './schema-job.ts'

interface SchemaThreadsOptions extends Pick<PoolOptions, 'maxThreads' | 'maxThreadsPerCustomer' | 'maxWaiting'> {
  readonly maxPatternSteps?: number
  readonly jobSeconds?: number
  readonly memoryMebibytes?: number
  /** How many schemas are remembered as usable. */
  readonly maxKnown?: number
}

/** Whose turn it is: customers take turns. */
export interface SchemaCaller {
  readonly customerId: string
  readonly signal?: AbortSignal | undefined
}

/** Why there is no answer. */
export type SchemaEnd = (Ended | Refused)['ended'] | 'too_expensive' | 'too_large'

export type CompileOutcome = 'compiled' | { readonly problem: string } | { readonly ended: SchemaEnd }

export type CheckOutcome =
  | { readonly problem: string }
  | { readonly errors: readonly SchemaError[]; readonly value: unknown }
  | { readonly ended: SchemaEnd }

type Schema = Pick<SchemaJob, 'kind' | 'schema'>

export const maxJobSeconds = 5
export const maxMemoryMebibytes = 128
/** Of the JSON of a value. */
export const maxValueLength = 1_048_576
/** In the worst case, this takes 2.5 s. */
const defaultMaxPatternSteps = 50_000_000
const defaultMaxKnown = 1_000

export class SchemaThreads {
  readonly #pool: ThreadPool<SchemaJob, SchemaOutcome>
  readonly #maxKnown: number
  /** Hashes of schemas that compile. The last one used is at the end. */
  readonly #known = new Set<string>()
  /** By customer and hash: many requests may have the same schema. */
  readonly #compiling = new Map<string, Promise<CompileOutcome>>()

  constructor({ maxPatternSteps, jobSeconds, memoryMebibytes, maxKnown, ...pool }: SchemaThreadsOptions) {
    const limits: SchemaLimits = { maxPatternSteps: maxPatternSteps ?? defaultMaxPatternSteps }
    this.#maxKnown = maxKnown ?? defaultMaxKnown
    this.#pool = new ThreadPool({
      ...pool,
      thread: {
        file: new URL('./schema-worker.mjs', import.meta.url),
        workerData: limits,
        resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes ?? maxMemoryMebibytes },
        jobSeconds: jobSeconds ?? maxJobSeconds,
      },
    })
  }

  /** How many threads it has started. */
  get startedThreads(): number {
    return this.#pool.startedThreads
  }

  /** Whether the schema can be used. */
  async compile(schema: Schema, caller: SchemaCaller): Promise<CompileOutcome> {
    const key = hash('sha256', `${schema.kind}:${schema.schema}`, 'base64')
    if (this.#isKnown(key)) return 'compiled'
    // A job that one caller can abort is not shared with others.
    if (caller.signal) return this.#compile(schema, key, caller)
    const turn = `${caller.customerId} ${key}`
    const compiling = this.#compiling.get(turn) ?? this.#compile(schema, key, caller)
    this.#compiling.set(turn, compiling)
    try {
      return await compiling
    } finally {
      this.#compiling.delete(turn)
    }
  }

  /** The errors of a value, and the value. For the kind `input`, it is a copy, with defaults filled in. */
  async check(schema: Schema, value: unknown, caller: SchemaCaller): Promise<CheckOutcome> {
    const text = writeValue(value)
    if (text === undefined) return { ended: 'too_large' }
    const outcome = await this.#execute({ ...schema, value: text }, caller)
    if (!('errors' in outcome)) return outcome
    // A tool may change its input, and the original is journaled.
    const checked = schema.kind === 'input' ? JSON.parse(outcome.value ?? text) : value
    return { errors: outcome.errors, value: checked }
  }

  /** Ends all jobs as aborted. */
  stop(): Promise<void> {
    return this.#pool.stop()
  }

  #isKnown(key: string): boolean {
    return this.#known.delete(key) && this.#known.add(key) !== undefined
  }

  async #compile(schema: Schema, key: string, caller: SchemaCaller): Promise<CompileOutcome> {
    const outcome = await this.#execute(schema, caller)
    if (!('errors' in outcome)) return outcome
    this.#known.add(key)
    for (const oldest of this.#known) {
      if (this.#known.size <= this.#maxKnown) break
      this.#known.delete(oldest)
    }
    return 'compiled'
  }

  /** A thread may die for another reason than its job, so a second one tries it again. */
  async #execute(job: SchemaJob, caller: SchemaCaller): Promise<SchemaOutcome | Ended | Refused> {
    const outcome = await this.#pool.execute(job, caller)
    return 'ended' in outcome && outcome.ended === 'crashed' ? this.#pool.execute(job, caller) : outcome
  }
}

/** Undefined if it is too large, or nests too deeply to be written. */
function writeValue(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value) ?? 'null'
    return text.length > maxValueLength ? undefined : text
  } catch {
    return undefined
  }
}
