// What every process has: the databases, the run log, signals within and between processes, and the sweeps.
import { randomUUID } from 'node:crypto'
import { retentionOf } from '../domain/run/retention.ts'
import type { LiveSecrets } from '../domain/secrets/live-secrets.ts'
import { EventHub } from '../events/event-hub.ts'
import { WakeUps } from '../events/wake-ups.ts'
import type { RecoveryRule } from '../lifecycle/recovery.ts'
import { archiveMemory } from '../maintenance/archive-memory.ts'
import { expireUsageHours } from '../maintenance/expire-hours.ts'
import { UsageFolder } from '../maintenance/fold-usage.ts'
import { forgetBatches } from '../maintenance/forget-batches.ts'
import { forgetSessions } from '../maintenance/forget-sessions.ts'
import { RunRemover } from '../maintenance/remove-runs.ts'
import { ValueSealer } from '../maintenance/seal-values.ts'
import { type Swept, sweepDue } from '../maintenance/sweep-due.ts'
import { trimRuns } from '../maintenance/trim-runs.ts'
import type { Logger } from '../runtime/logger.ts'
import { Periodic } from '../runtime/periodic.ts'
import type { EncryptionKeys, Secrets } from '../runtime/secrets.ts'
import type { Settings } from '../runtime/settings/settings.ts'
import { Signal } from '../runtime/signal.ts'
import { type ConnectionOptions, Database, type DatabaseOptions, type RetryBudget } from '../store/postgres/database.ts'
import { logSession } from '../store/run-log/change-statement.ts'
import { logApplication } from '../store/run-log/log-application.ts'
import { type Committed, RunLog } from '../store/run-log/run-log.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'

export interface CoreOptions {
  readonly settings: Settings
  readonly connection: ConnectionOptions
  readonly secrets: EncryptionKeys & Pick<Secrets, 'keyPepper'>
  readonly logger: Logger
  /** Values that `logger` masks. */
  readonly liveSecrets?: LiveSecrets
}

/** One connection that is always busy writes faster than several that wait for the answers of this process. */
const logConnection = {
  maxConnections: 1,
  pipeline: true,
  keepsConnections: true,
  applicationName: logApplication,
  session: logSession,
} as const

/** The pause between two sweeps when something is due that the first could not do. */
const shortestSweepMs = 250

/** Signals between the parts of this process. */
class ProcessSignals {
  /** This process committed a change. */
  readonly committed = new Signal<readonly Committed[]>()
  /** Another process made runs claimable, or may have done so while this one was not listening. */
  readonly ready = new Signal()
  /** Another process changed these runs, and runs of the customers with these marks. */
  readonly changed = new Signal<readonly string[]>()
  /** Budgets were changed, in this process or another one. */
  readonly budgets = new Signal()
}

export class Core {
  readonly settings: Settings
  readonly secrets: CoreOptions['secrets']
  readonly logger: Logger
  readonly liveSecrets: LiveSecrets | undefined
  readonly database: Database
  readonly keys: SealingKeys
  readonly hub = new EventHub()
  readonly signals = new ProcessSignals()
  readonly runLog: RunLog
  readonly recovery: RecoveryRule
  readonly #connection: ConnectionOptions
  /** Writes the changes of runs. */
  readonly log: Database
  readonly #runLogs: RunLog[]
  readonly wakeUps: WakeUps
  readonly #jobs: readonly Periodic[]

  constructor({ settings, connection, secrets, logger, liveSecrets }: CoreOptions) {
    this.settings = settings
    this.secrets = secrets
    this.logger = logger
    this.liveSecrets = liveSecrets
    this.#connection = connection
    this.database = new Database({ connection, maxConnections: 2, applicationName: 'runwright' })
    this.keys = new SealingKeys(this.database, secrets)
    this.log = this.openLog()
    this.runLog = new RunLog(this.log, this.announce)
    this.#runLogs = [this.runLog]
    this.wakeUps = this.#createWakeUps()
    const { recoveryDelaySeconds: delaySeconds, maxRecoveries } = settings.engine
    this.recovery = { delaySeconds, maxRecoveries }
    this.#jobs = this.#createJobs()
  }

  openLog(more: Partial<DatabaseOptions> = {}): Database {
    return new Database({ connection: this.#connection, ...logConnection, ...more })
  }

  /** Another log on the same connections. A change that waits there for the database delays no change of `runLog`. */
  openRunLog(retryBudget: RetryBudget): RunLog {
    const log = new RunLog(this.log, this.announce, retryBudget)
    this.#runLogs.push(log)
    return log
  }

  /** How long the oldest change in the queue of a log has waited. */
  get behindMs(): number {
    return Math.max(...this.#runLogs.map(({ behindMs }) => behindMs))
  }

  /** A connection pool for lists and sums, so that the reads and writes of single runs do not wait for them. */
  openReads(): Database {
    return new Database({
      connection: this.#connection,
      // More than the large reads that one customer may have at once, so that some are left for the others.
      maxConnections: 6,
      applicationName: 'runwright reads',
      statementTimeoutMs: 2_000,
      refusesLongReads: true,
    })
  }

  readonly announce = (committed: readonly Committed[]): void => {
    this.hub.publish(committed)
    this.signals.committed.emit(committed)
    this.wakeUps.tell(committed)
  }

  readonly announceBudgets = (): void => {
    this.signals.budgets.emit()
    this.wakeUps.tellOfBudgets()
  }

  /** Runs a background job periodically. A failure is logged, and the job continues. */
  every(everyMs: number | (() => number), job: string, runOnce: (signal: AbortSignal) => Promise<unknown>): Periodic {
    const onError = (error: unknown) => this.logger.warn({ err: error, job }, 'background job failed')
    return new Periodic({ everyMs, runOnce, onError })
  }

  async start(): Promise<void> {
    await this.keys.open()
    await this.log.connect()
    this.wakeUps.start()
    for (const job of this.#jobs) job.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#jobs.map((job) => job.stop()))
    await this.runLog.drain()
    await this.wakeUps.stop()
    await Promise.all([this.database.close(), this.log.close()])
  }

  #createWakeUps(): WakeUps {
    return new WakeUps({
      connection: this.#connection,
      hub: this.hub,
      sender: randomUUID(),
      onReady: () => this.signals.ready.emit(),
      onChanged: (words) => this.signals.changed.emit(words),
      onBudgets: () => this.signals.budgets.emit(),
    })
  }

  #createJobs(): Periodic[] {
    const { database, runLog, keys, logger, secrets, settings, recovery: rule } = this
    const action = settings.limits.signalTimeoutAction
    const hasPrevious = (secrets.previousEncryptionKeys ?? []).length > 0
    const sealer = new ValueSealer({ database, keys, logger, hasPrevious })
    const usageFolder = new UsageFolder(database)
    const leaseMs = settings.engine.leaseSeconds * 1000
    const sweepMs = Math.min(1_000, leaseMs / 4)
    const wakeWorker = () => this.wakeUps.wakeOne()
    // A process without the duty may send nothing else while the database is away.
    const watches = [database, this.wakeUps]
    let swept: Partial<Swept> = {}
    const sweep = async () => {
      swept = await sweepDue({ database, runLog, rule, leaseMs, watches, action, wakeWorker })
    }
    // A wait ends when its time is up, not at the next full second.
    const untilSweep = () => Math.min(sweepMs, Math.max(shortestSweepMs, swept.nextInMs ?? sweepMs))
    return [
      this.#onDuty(untilSweep, 'sweep', sweep),
      // Apart from the sweep: after a burst it takes seconds.
      this.#onDuty(1_000, 'fold usage', async () => swept.hasUsage && usageFolder.runOnce()),
      this.#onDuty(60_000, 'forget batches', () => forgetBatches(database)),
      this.#onDuty(600_000, 'forget sessions', () => forgetSessions(database)),
      this.#onDuty(3_600_000, 'archive memory', () => archiveMemory(database)),
      this.#onDuty(600_000, 'trim runs', () => trimRuns(database)),
      this.#onDuty(600_000, 'remove runs', (signal) => this.#removeRuns(signal)),
      this.#onDuty(600_000, 'expire usage hours', () => expireUsageHours(database)),
      this.#onDuty(hasPrevious ? 10_000 : 60_000, 'seal values', () => sealer.runOnce()),
      this.every(30_000, 'refresh keys', () => keys.refresh()),
    ]
  }

  async #removeRuns(signal: AbortSignal): Promise<void> {
    const { database, announce, settings } = this
    const mayContinue = () => this.wakeUps.hasDuty
    const remover = new RunRemover({ database, announce, mayContinue, retention: retentionOf(settings.retention) })
    const { removed } = await remover.runOnce(signal)
    if (removed > 0) this.logger.info({ removed }, 'removed runs that were past their retention')
  }

  /** A job of one process of the fleet. */
  #onDuty(everyMs: number | (() => number), job: string, runOnce: (signal: AbortSignal) => Promise<unknown>): Periodic {
    return this.every(everyMs, job, async (signal) => this.wakeUps.hasDuty && runOnce(signal))
  }
}
