// What every process has: the databases, the run log, signals within and between processes, and the sweeps.
import { randomUUID } from 'node:crypto'
import { retentionOf } from '../domain/run/retention.ts'
import type { LiveSecrets } from '../domain/secrets/live-secrets.ts'
import { EventHub } from '../events/event-hub.ts'
import { WakeUps } from '../events/wake-ups.ts'
import { AuditChainer } from '../maintenance/chain-audit.ts'
import { DueJobs, type RareJob } from '../maintenance/due-jobs.ts'
import { UsageFolder } from '../maintenance/fold-usage.ts'
import { MinuteFigures } from '../maintenance/minute-figures.ts'
import { recordMinute } from '../maintenance/record-minute.ts'
import { ValueSealer } from '../maintenance/seal-values.ts'
import { type Swept, sweepDue } from '../maintenance/sweep-due.ts'
import { archiveMemory } from '../retention/archive-memory.ts'
import { expireUsageHours } from '../retention/expire-hours.ts'
import { forgetAnswers } from '../retention/forget-answers.ts'
import { forgetBatches } from '../retention/forget-batches.ts'
import { forgetDeliveries } from '../retention/forget-deliveries.ts'
import { forgetSessions } from '../retention/forget-sessions.ts'
import { RunRemover } from '../retention/remove-runs.ts'
import { trimRuns } from '../retention/trim-runs.ts'
import type { RecoveryRule } from '../runs/recovery.ts'
import type { Logger } from '../runtime/logger.ts'
import { Periodic } from '../runtime/periodic.ts'
import { openSchemaLanes, type SchemaLanes } from '../runtime/schemas/schema-lanes.ts'
import type { EncryptionKeys, Secrets } from '../runtime/secrets/secrets.ts'
import { findPublicUrl } from '../runtime/settings/public-url.ts'
import type { Settings } from '../runtime/settings/settings.ts'
import { Signal } from '../runtime/signal.ts'
import type { ProcessGuard } from '../runtime/watchdog/process-guard.ts'
import { type ConnectionOptions, Database, type DatabaseOptions, type RetryBudget } from '../store/postgres/database.ts'
import { logSession } from '../store/run-log/change-statement.ts'
import { logApplication } from '../store/run-log/log-application.ts'
import { type Committed, RunLog } from '../store/run-log/run-log.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { RunLines } from '../telemetry/run-lines.ts'
import { RunSpans } from '../telemetry/traces/run-spans.ts'
import type { Tracing } from '../telemetry/traces/tracing.ts'
import { watchFleet } from '../telemetry/watch-fleet.ts'
import { flushObserver, watchLag, watchPool } from '../telemetry/watch-log.ts'
import { watchProcess } from '../telemetry/watch-process.ts'
import { retentionMetrics } from '../telemetry/watch-retention.ts'
import { countRuns } from '../telemetry/watch-runs.ts'
import { TroubleWatch } from '../telemetry/watch-trouble.ts'

export interface CoreOptions {
  readonly settings: Settings
  readonly connection: ConnectionOptions
  readonly secrets: EncryptionKeys & Pick<Secrets, 'keyPepper'>
  readonly logger: Logger
  /** Values that `logger` masks. */
  readonly liveSecrets?: LiveSecrets
  /** The threads that compile schemas, if they were used before. Left out: new ones. */
  readonly schemas?: SchemaLanes | undefined
  /** Watches over the process. Left out: nothing does. */
  readonly guard?: ProcessGuard
  /** Left out: nothing is counted. */
  readonly metrics?: Metrics | undefined
  /** Left out: no traces are written. */
  readonly tracing?: Tracing | undefined
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
  /** Messages to webhooks may be due. */
  readonly deliveries = new Signal<'here' | 'elsewhere'>()
  /** Schedules are due, and this process has the duty. */
  readonly schedules = new Signal()
}

export class Core {
  readonly settings: Settings
  readonly secrets: CoreOptions['secrets']
  readonly logger: Logger
  readonly liveSecrets: LiveSecrets | undefined
  readonly schemas: SchemaLanes
  readonly guard: ProcessGuard | undefined
  readonly metrics: Metrics | undefined
  readonly tracing: Tracing | undefined
  readonly #runSpans: RunSpans | undefined
  readonly #trouble: TroubleWatch
  readonly runLines: RunLines
  readonly database: Database
  readonly keys: SealingKeys
  readonly hub = new EventHub()
  readonly signals = new ProcessSignals()
  /** What this process measures in a minute, for the page of the system. */
  readonly minute = new MinuteFigures()
  readonly processId = randomUUID()
  readonly runLog: RunLog
  readonly recovery: RecoveryRule
  /** Whether this process sends messages to webhooks. */
  delivers = false
  readonly connection: ConnectionOptions
  /** Writes the changes of runs. */
  readonly log: Database
  readonly #runLogs: RunLog[]
  readonly wakeUps: WakeUps
  readonly #rareJobs: DueJobs
  readonly #jobs: readonly Periodic[]

  constructor({ settings, connection, secrets, logger, liveSecrets, schemas, guard, metrics, tracing }: CoreOptions) {
    this.settings = settings
    this.secrets = secrets
    this.logger = logger
    this.liveSecrets = liveSecrets
    this.schemas = schemas ?? openSchemaLanes()
    this.guard = guard
    this.metrics = metrics
    this.tracing = tracing
    this.connection = connection
    this.#trouble = new TroubleWatch({ metrics, logger })
    this.database = this.#open('main', { maxConnections: 2, applicationName: 'runwright' })
    this.keys = new SealingKeys(this.database, secrets)
    this.log = this.openLog('changes')
    this.runLog = new RunLog(this.log, this.announce, { onFlush: flushObserver(metrics, 'changes') })
    this.#runLogs = [this.runLog]
    this.wakeUps = this.#createWakeUps()
    const { recoveryDelaySeconds: delaySeconds, maxRecoveries } = settings.engine
    this.recovery = { delaySeconds, maxRecoveries }
    this.#rareJobs = this.#createRareJobs()
    this.#jobs = this.#createJobs()
    this.#runSpans = tracing && new RunSpans({ tracing, database: this.database, logger })
    this.signals.committed.subscribe((committed) => this.#runSpans?.note(committed))
    this.runLines = new RunLines({
      logger,
      isTraced: tracing !== undefined,
      publicUrl: findPublicUrl(settings.http),
    })
    this.signals.committed.subscribe((committed) => this.runLines.note(committed))
    this.#count()
  }

  /** `pool` is its name in metrics. */
  openLog(pool: string, more: Partial<DatabaseOptions> = {}): Database {
    return this.#open(pool, { ...logConnection, ...more })
  }

  #open(pool: string, options: Omit<DatabaseOptions, 'connection'>): Database {
    const database = new Database({ ...options, connection: this.connection, onTrouble: this.#trouble.of(pool) })
    return watchPool(this.metrics, pool, database)
  }

  /** Another log on the same connections. A change that waits there for the database delays no change of `runLog`. */
  openRunLog(retryBudget: RetryBudget): RunLog {
    const onFlush = flushObserver(this.metrics, 'changes')
    const log = new RunLog(this.log, this.announce, { retryBudget, onFlush })
    this.#runLogs.push(log)
    return log
  }

  /** How long the oldest change in the queue of a log has waited. */
  get behindMs(): number {
    return Math.max(...this.#runLogs.map(({ behindMs }) => behindMs))
  }

  /** A connection pool for lists and sums, so that the reads and writes of single runs do not wait for them. */
  openReads(): Database {
    return this.#open('reads', {
      // More than the large reads that one customer may have at once, so that some are left for the others.
      maxConnections: 6,
      applicationName: 'runwright reads',
      statementTimeoutMs: 2_000,
      refusesLongReads: true,
    })
  }

  /** A claim of messages and the record of their outcomes do not wait for other reads and writes, nor delay them. */
  openDeliveries(): Database {
    return this.#open('webhooks', { maxConnections: 1, applicationName: 'runwright webhooks' })
  }

  readonly announce = (committed: readonly Committed[]): void => {
    this.hub.publish(committed)
    this.signals.committed.emit(committed)
    this.wakeUps.publish(committed)
    if (committed.some(({ hasDeliveries }) => hasDeliveries)) this.announceDeliveries()
  }

  /** A process that sends messages to webhooks does so itself; it passes on what it cannot take. */
  readonly announceDeliveries = (): void => {
    this.signals.deliveries.emit('here')
    if (!this.delivers) this.wakeUps.publishDeliveries()
  }

  readonly announceBudgets = (): void => {
    this.signals.budgets.emit()
    this.wakeUps.publishBudgets()
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
    await this.#rareJobs.ended()
    await this.runLog.drain()
    await this.wakeUps.stop()
    await this.#runSpans?.stop()
    await this.schemas.stop()
    await Promise.all([this.database.close(), this.log.close()])
  }

  #count(): void {
    const { metrics, database } = this
    if (!metrics) return
    watchProcess(metrics)
    watchLag(metrics, 'changes', this)
    watchFleet(metrics, database)
    this.signals.committed.subscribe((committed) => countRuns(metrics, committed))
  }

  #createWakeUps(): WakeUps {
    return new WakeUps({
      connection: this.connection,
      hub: this.hub,
      sender: randomUUID(),
      onReady: () => this.signals.ready.emit(),
      onChanged: (words) => this.signals.changed.emit(words),
      onBudgets: () => this.signals.budgets.emit(),
      onDeliveries: () => this.signals.deliveries.emit('elsewhere'),
    })
  }

  #createJobs(): Periodic[] {
    const { database, runLog, keys, logger, secrets, settings, recovery: rule } = this
    const action = settings.limits.signalTimeoutAction
    const hasPrevious = (secrets.previousEncryptionKeys ?? []).length > 0
    const sealer = new ValueSealer({ database, keys, logger, hasPrevious })
    const usageFolder = new UsageFolder(database)
    const auditChainer = new AuditChainer(database)
    const leaseMs = settings.engine.leaseSeconds * 1000
    const sweepMs = Math.min(1_000, leaseMs / 4)
    const wakeWorker = () => this.wakeUps.wakeOne()
    const wakeDeliverers = this.announceDeliveries
    const wakeScheduler = () => this.signals.schedules.emit()
    const wakes = { wakeWorker, wakeDeliverers, wakeScheduler }
    // A process without the duty may send nothing else while the database is away.
    const watches = [database, this.wakeUps]
    let swept: Partial<Swept> = {}
    const sweep = async () => {
      swept = await sweepDue({ database, runLog, rule, leaseMs, watches, action, ...wakes })
    }
    // A wait ends when its time is up, not at the next full second.
    const untilSweep = () => Math.min(sweepMs, Math.max(shortestSweepMs, swept.nextInMs ?? sweepMs))
    return [
      this.#onDuty(untilSweep, 'sweep', sweep),
      // Apart from the sweep: after a burst it takes seconds.
      this.#onDuty(1_000, 'fold usage', async () => swept.hasUsage && usageFolder.runOnce()),
      this.#onDuty(1_000, 'chain audit entries', async (signal) => swept.hasActs && auditChainer.runOnce(signal)),
      this.#onDuty(60_000, 'forget batches', () => forgetBatches(database)),
      this.#onDuty(10_000, 'start rare jobs', (signal) => this.#rareJobs.runOnce(signal)),
      this.#onDuty(hasPrevious ? 10_000 : 60_000, 'seal values', () => sealer.runOnce()),
      this.every(30_000, 'refresh keys', () => keys.refresh()),
      this.every(60_000, 'record minute', () => this.#recordMinute()),
    ]
  }

  #createRareJobs(): DueJobs {
    const { database, logger } = this
    const onError = (error: unknown, job: string) => logger.warn({ err: error, job }, 'background job failed')
    const jobs: RareJob[] = [
      { name: 'forget sessions', everySeconds: 600, runOnce: () => forgetSessions(database) },
      { name: 'forget answers', everySeconds: 600, runOnce: () => forgetAnswers(database) },
      { name: 'forget deliveries', everySeconds: 600, runOnce: () => forgetDeliveries(database) },
      { name: 'archive memory', everySeconds: 3_600, runOnce: () => archiveMemory(database) },
      { name: 'trim runs', everySeconds: 600, runOnce: () => trimRuns(database) },
      { name: 'remove runs', everySeconds: 600, runOnce: (signal) => this.#removeRuns(signal) },
      { name: 'expire usage hours', everySeconds: 600, runOnce: () => expireUsageHours(database) },
    ]
    return new DueJobs({ database, jobs, onError })
  }

  #recordMinute(): Promise<void> {
    const { database, minute: figures, processId, wakeUps } = this
    return recordMinute({ database, figures, processId, isOnDuty: wakeUps.isLeader })
  }

  async #removeRuns(signal: AbortSignal): Promise<void> {
    const { database, announce, settings, metrics } = this
    const mayContinue = () => this.wakeUps.isLeader
    const retention = retentionOf(settings.retention)
    const observer = metrics && retentionMetrics(metrics)
    const remover = new RunRemover({ database, announce, mayContinue, retention, observer })
    const { removed } = await remover.runOnce(signal)
    if (removed > 0) this.logger.info({ removed }, 'removed runs that were past their retention')
  }

  /** A job of one process of the fleet. */
  #onDuty(everyMs: number | (() => number), job: string, runOnce: (signal: AbortSignal) => Promise<unknown>): Periodic {
    return this.every(everyMs, job, async (signal) => this.wakeUps.isLeader && runOnce(signal))
  }
}
