// What clients do with a run, from its create to its end. The seed decides which course comes next.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AwaitingInput } from '@runwright/contract'
import { Random } from '../random.ts'
import { instructionOf } from '../shop/shop-model.ts'
import type { ShopServer } from '../shop/shop-server.ts'
import { type ShopTask, taskAt } from '../shop/shop-tasks.ts'
import { Client, newKey, type Place, type ShownRun } from './client.ts'
import { RunRecord } from './run-record.ts'

export type Kind = 'shop' | 'gate' | 'cancel' | 'retry' | 'fork'

/** One course of the list that the seed gives. */
export interface Course {
  readonly n: number
  readonly kind: Kind
  readonly seed: number
}

const others: readonly Kind[] = ['gate', 'gate', 'cancel', 'retry', 'fork']

/** Every other course is a task of the shop: 400 courses have all two hundred. */
export function courseAt(seed: number, n: number): Course {
  const random = new Random(seed * 7_919 + n)
  return { n, kind: n % 2 === 0 ? 'shop' : random.pick(others), seed: random.below(2 ** 31) }
}

interface Office {
  readonly place: Place
  readonly shop: ShopServer
  readonly records: RunRecord[]
  /** How many questions about unknown outcomes were answered. */
  questions: number
}

export type { Office }

/** Plays one course to the end of its run. */
export class Player {
  readonly #office: Office
  readonly #course: Course
  readonly #random: Random
  readonly #ann: Client
  readonly #bob: Client
  #isOver = false

  constructor(office: Office, course: Course) {
    this.#office = office
    this.#course = course
    this.#random = new Random(course.seed)
    this.#ann = new Client(`ann-${course.n}`, office.place)
    this.#bob = new Client(`bob-${course.n}`, office.place)
  }

  async play(): Promise<void> {
    const { kind, n } = this.#course
    const record = this.#newRecord(kind, kind === 'shop' ? taskAt(n / 2) : undefined)
    const body = bodies[kind](n, record.task)
    const creates = [this.#ann.create(record, body)]
    // Two at once with the same key.
    if (this.#random.next() < 0.2) creates.push(this.#bob.create(record, body))
    await Promise.all(creates)
    const reading = this.#random.next() < 0.3 ? this.#follow(record) : undefined
    if (kind === 'cancel') void this.#cancelLater(record)
    await this.#untilEnd(record)
    if (kind === 'fork') await this.#fork(record)
    await reading
  }

  #newRecord(kind: string, task?: ShopTask): RunRecord {
    const record = new RunRecord(kind, newKey(kind), task)
    this.#office.records.push(record)
    return record
  }

  async #fork(original: RunRecord): Promise<void> {
    const record = this.#newRecord('forked')
    await this.#ann.create(record, { from_step: 'left' }, `/v1/runs/${original.id}/fork`)
    await this.#untilEnd(record)
  }

  async #cancelLater(record: RunRecord): Promise<void> {
    await this.#pause(this.#random.between(100, 4_000))
    await Promise.all([this.#ann.command(record, 'cancel'), this.#bob.command(record, 'cancel')])
  }

  /** Streams the events until the run has ended, and goes on at the cursor after each cut. */
  async #follow(record: RunRecord): Promise<void> {
    for (let cursor = 0; !this.#isOver; await this.#pause(100)) {
      cursor = await this.#bob.stream(record, cursor, 10_000)
    }
  }

  async #untilEnd(record: RunRecord): Promise<void> {
    for (;;) {
      const run = await this.#ann.read(record)
      if (run) await this.#react(record, run)
      if (run?.status === 'succeeded' || run?.status === 'cancelled') break
      if (this.#random.next() < 0.1) await this.#bob.page(record, 0)
      await this.#pause(this.#random.between(150, 400))
    }
    this.#isOver = true
  }

  async #react(record: RunRecord, { status, awaiting_input: wait }: ShownRun): Promise<void> {
    // The model refused, or a call could not be made: nothing happened, so a person starts the run again.
    if (status === 'failed') return this.#ann.command(record, 'retry')
    if (!wait) return
    if (wait.reason_code === 'tool_outcome_unknown') return this.#tellOutcome(record, wait)
    // Two people answer at once.
    const actions = ['approve', 'submit_input'] as const
    const answers = [
      this.#ann.signal(record, this.#random.pick(actions), wait.seq),
      this.#bob.signal(record, this.#random.pick(actions), wait.seq),
    ]
    await Promise.all(answers)
  }

  /** The honest operator: looks at the shop, and lets the call be made only if it is not there. */
  async #tellOutcome(record: RunRecord, wait: AwaitingInput): Promise<void> {
    const effect = await this.#office.shop.look(wait.idempotency_key ?? '')
    this.#office.questions += 1
    if (effect) await this.#ann.signal(record, 'submit_input', wait.seq, { receipt: effect.receipt })
    else await this.#ann.signal(record, 'approve', wait.seq)
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#office.place.signal })
  }
}

const unplanned = { input: {}, metadata: {} }
const toolStep = (id: string, order: string, dependsOn: readonly string[]) => ({
  id,
  tool: 'credit',
  input: { order, cents: 1 },
  depends_on: dependsOn,
})

/** Two calls side by side, a question, another call, and a word of the model. */
const gateBody = (n: number, kind: string) => ({
  ...unplanned,
  plan: {
    steps: [
      toolStep('left', `${kind}-${n}-left`, []),
      toolStep('right', `${kind}-${n}-right`, []),
      { id: 'gate', await_input: { input_kind: 'approval', reason_code: 'go' }, depends_on: ['left', 'right'] },
      toolStep('after', `${kind}-${n}-after`, ['gate']),
      { id: 'word', instruction: 'Say a word.', judge: 'never', depends_on: ['after'] },
    ],
  },
})

const bodies: Readonly<Record<Kind, (n: number, task: ShopTask | undefined) => object>> = {
  shop: (n, task) => ({
    ...unplanned,
    plan: {
      steps: [
        { id: 'task', instruction: task ? instructionOf(task, n / 2) : '', judge: n % 4 ? 'each_step' : 'never' },
      ],
    },
  }),
  gate: (n) => gateBody(n, 'gate'),
  cancel: (n) => gateBody(n, 'cancel'),
  fork: (n) => gateBody(n, 'fork'),
  retry: (n) => ({
    ...unplanned,
    plan: { steps: [{ id: 'word', instruction: `Fail once, number ${n}.`, judge: 'never', max_attempts: 1 }] },
  }),
}
