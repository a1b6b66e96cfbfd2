// Seals values that an older data key has sealed with the newest one. Several processes may do it at once: each row is
// replaced only if it is still as it was found.

import { toWireId } from '../runtime/ids.ts'
import type { Logger } from '../runtime/logger.ts'
import type { SealedValue } from '../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../store/postgres/database.ts'
import { type BodyPosition, findBodiesBefore, firstBody, replaceBody } from '../store/schedules/sealed-bodies.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { countSealed, findSealedBefore, firstPosition, replaceSealed, type SealedRow } from '../store/sealed/values.ts'
import {
  findWebhookSecretsBefore,
  replaceWebhookSecrets,
  type WebhookSecrets,
} from '../store/webhooks/sealed-secrets.ts'

interface SealingRound {
  readonly sealed: number
  readonly isDone: boolean
}

interface SealerOptions {
  readonly database: Database
  readonly keys: SealingKeys
  readonly logger: Logger
  /** Previous encryption keys are set: the log says when they can be removed. */
  readonly hasPrevious: boolean
  readonly batchSize?: number
}

const previousCanGo =
  'every sensitive value is sealed with the newest key: RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS can be removed once all hosts have the new RUNWRIGHT_ENCRYPTION_KEY'

/** Per call, so that the other jobs of the process get their turn. */
const maxBatches = 20
/** Bodies of schedules can be large. */
const schedulesAtOnce = 20

export class ValueSealer {
  readonly #options: SealerOptions
  readonly #batchSize: number
  #position = firstPosition
  #total = 0
  #hasTold = false

  constructor(options: SealerOptions) {
    this.#options = options
    this.#batchSize = options.batchSize ?? 200
  }

  /** `isDone`: the call has reached the end of the list. */
  async runOnce(): Promise<SealingRound> {
    await this.#options.keys.refresh()
    let sealed = (await this.#sealWebhooks()) + (await this.#sealSchedules())
    for (let batch = 0; batch < maxBatches; batch += 1) {
      const page = await this.#sealPage()
      sealed += page.sealed
      if (page.isDone) return this.#report({ sealed, isDone: true })
    }
    return this.#report({ sealed, isDone: false })
  }

  /** Logs how many values are left; when there are none, it logs once that older keys can be removed. */
  async #report(round: SealingRound): Promise<SealingRound> {
    await this.#logProgress(round.sealed)
    return round
  }

  async #logProgress(sealed: number): Promise<void> {
    const { database, keys, logger, hasPrevious } = this.#options
    this.#total += sealed
    if (sealed === 0 && this.#hasTold) return
    const byKey = await countSealed(database)
    const left = [...byKey].reduce((sum, [id, count]) => (id === keys.keyring.newest ? sum : sum + count), 0)
    if (sealed > 0) logger.info({ sealed: this.#total, left }, 'sensitive values are being sealed with the newest key')
    this.#hasTold = left === 0
    if (left > 0) return
    if (hasPrevious) logger.info(previousCanGo)
    const forgotten = await keys.forgetOlder()
    if (forgotten > 0) logger.info('encryption keys older than those that are set can no longer open anything')
  }

  async #sealPage(): Promise<SealingRound> {
    const { database, keys } = this.#options
    const page = { after: this.#position, limit: this.#batchSize }
    const rows = await findSealedBefore(database, keys.keyring.newest, page)
    const isDone = rows.length < this.#batchSize
    this.#position = (isDone ? undefined : rows.at(-1)) ?? firstPosition
    const resealed = rows.flatMap(
      (row) => this.#tried({ run_id: toWireId('run', row.runId) }, () => this.#reseal(row)) ?? [],
    )
    return { sealed: resealed.length > 0 ? await replaceSealed(database, resealed) : 0, isDone }
  }

  async #sealWebhooks(): Promise<number> {
    const { database, keys } = this.#options
    const found = await findWebhookSecretsBefore(database, keys.keyring.newest)
    let sealed = 0
    for (const was of found) {
      const now = this.#tried({ webhook: was.webhookId }, () => this.#resealSecrets(was))
      if (now && (await replaceWebhookSecrets(database, now, was))) sealed += 1
    }
    return sealed
  }

  async #sealSchedules(): Promise<number> {
    const { database, keys } = this.#options
    let sealed = 0
    for (let after: BodyPosition | undefined = firstBody; after; ) {
      const found = await findBodiesBefore(database, keys.keyring.newest, { after, limit: schedulesAtOnce })
      for (const was of found) {
        const now = this.#tried({ schedule: was.scheduleId }, () => keys.keyring.reseal(was, was))
        if (now && (await replaceBody(database, was, now))) sealed += 1
      }
      after = found.at(-1)
    }
    return sealed
  }

  #resealSecrets(was: WebhookSecrets): WebhookSecrets {
    const { keyring } = this.#options.keys
    const reseal = (value: SealedValue) => keyring.reseal(value, was)
    return { ...was, current: reseal(was.current), old: was.old.map(reseal) }
  }

  #reseal(row: SealedRow) {
    const { customerId, runId } = row
    return { customerId, runId, wasKeyId: row.keyId, sealed: this.#options.keys.keyring.reseal(row, row) }
  }

  /** A row that cannot be opened is named and skipped. The error itself is not logged: it might quote the value. */
  #tried<T>(row: Readonly<Record<string, string>>, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown'
      this.#options.logger.warn({ ...row, reason }, 'a sensitive value could not be sealed')
      return undefined
    }
  }
}
