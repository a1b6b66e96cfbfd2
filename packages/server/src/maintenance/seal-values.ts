// Seals what is stored: with the newest data key what an older one has sealed, and for the first time what was stored
// before values were sealed. Several processes may do it at once; each row is replaced only as it was found.
import type { SensitivityTag } from '@runwright/contract'
import { type SentDocument, splitSecrets } from '../domain/secrets/split-secrets.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Database } from '../store/postgres/database.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'
import {
  countSealed,
  findSealedBefore,
  findUnsealed,
  firstPosition,
  markNothingSecret,
  replaceSealed,
  type SealedRow,
  storeFirstSealed,
  type UnsealedRow,
} from '../store/sealed/values.ts'

interface SealerOptions {
  readonly database: Database
  readonly keys: SealingKeys
  readonly logger: Logger
  /** Whether older encryption keys are set, which someone wants to take away. */
  readonly hasPrevious: boolean
  readonly batchSize?: number
}

const previousCanGo =
  'every sensitive value is sealed with the newest key: RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS can be taken away once all hosts have the new RUNWRIGHT_ENCRYPTION_KEY'

/** Batches of one round: other jobs of the process want their turn. */
const maxBatches = 20

export class ValueSealer {
  readonly #options: SealerOptions
  readonly #batchSize: number
  #position = firstPosition
  #unsealedAfter = firstPosition.runId
  #total = 0
  #hasTold = false

  constructor(options: SealerOptions) {
    this.#options = options
    this.#batchSize = options.batchSize ?? 200
  }

  /** `isDone`: the round has come to the end of what there was. */
  async runOnce(): Promise<{ sealed: number; isDone: boolean }> {
    await this.#options.keys.refresh()
    let sealed = 0
    for (let batch = 0; batch < maxBatches; batch += 1) {
      const first = await this.#sealFirst()
      const again = await this.#sealAgain()
      sealed += first.sealed + again.sealed
      if (first.isDone && again.isDone) {
        await this.#report(sealed)
        return { sealed, isDone: true }
      }
    }
    await this.#report(sealed)
    return { sealed, isDone: false }
  }

  /** How many are left; and once when there are none, that older keys can go. */
  async #report(sealed: number): Promise<void> {
    const { database, keys, logger, hasPrevious } = this.#options
    this.#total += sealed
    if (sealed === 0 && this.#hasTold) return
    const { byKey, unsealed } = await countSealed(database)
    const left = [...byKey].reduce((sum, [id, count]) => (id === keys.keyring.newest ? sum : sum + count), unsealed)
    if (sealed > 0) logger.info({ sealed: this.#total, left }, 'sensitive values are being sealed with the newest key')
    this.#hasTold = left === 0
    if (left > 0) return
    if (hasPrevious) logger.info(previousCanGo)
    const forgotten = await keys.forgetOlder()
    if (forgotten > 0) logger.info('older encryption keys than those that are set can no longer open anything')
  }

  async #sealAgain(): Promise<{ sealed: number; isDone: boolean }> {
    const { database, keys } = this.#options
    const page = { after: this.#position, limit: this.#batchSize }
    const rows = await findSealedBefore(database, keys.keyring.newest, page)
    const isDone = rows.length < this.#batchSize
    this.#position = (isDone ? undefined : rows.at(-1)) ?? firstPosition
    const resealed = rows.flatMap((row) => this.#tried(row.runId, () => this.#reseal(row)) ?? [])
    return { sealed: resealed.length > 0 ? await replaceSealed(database, resealed) : 0, isDone }
  }

  #reseal(row: SealedRow) {
    return { runId: row.runId, wasKeyId: row.keyId, sealed: this.#options.keys.keyring.reseal(row, row) }
  }

  async #sealFirst(): Promise<{ sealed: number; isDone: boolean }> {
    const { database } = this.#options
    const rows = await findUnsealed(database, this.#unsealedAfter, this.#batchSize)
    const isDone = rows.length < this.#batchSize
    this.#unsealedAfter = (isDone ? undefined : rows.at(-1)?.id) ?? firstPosition.runId
    let sealed = 0
    for (const row of rows) sealed += await this.#sealRow(row)
    return { sealed, isDone }
  }

  async #sealRow(row: UnsealedRow): Promise<number> {
    const { database, keys } = this.#options
    const split = this.#tried(row.id, () => splitSecrets(sentDocument(row), parsed(row.plan)) ?? 'nothing')
    if (split === undefined) return 0
    if (split === 'nothing') {
      await markNothingSecret(database, [row.id])
      return 0
    }
    const { input, metadata, attachment_refs: attachmentRefs, sensitivity_tags: sensitivityTags } = split.clear
    const sealed = keys.keyring.seal(split.sealed, { runId: row.id, customerId: row.customer_id })
    const { plan } = split
    return storeFirstSealed(database, { runId: row.id, input, metadata, attachmentRefs, sensitivityTags, plan, sealed })
  }

  /** A row that cannot be read is named and passed over. The error itself might quote it. */
  #tried<T>(runId: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown'
      this.#options.logger.warn({ run: runId, reason }, 'the sensitive values of a run could not be sealed')
      return undefined
    }
  }
}

const parsed = (json: string | null): unknown => (json === null ? undefined : JSON.parse(json))

const sentDocument = (row: UnsealedRow): SentDocument => ({
  input: JSON.parse(row.input),
  metadata: JSON.parse(row.metadata),
  ...(row.attachment_refs !== null && { attachment_refs: JSON.parse(row.attachment_refs) as string[] }),
  sensitivity_tags: parsed(row.sensitivity_tags) as SensitivityTag[],
})
