// Moves a customer from one cell to another. Each step is recorded in the customer's row of the source before the next
// one begins, and each can be repeated: after an interruption, the same command continues.
import { sleep } from '../runtime/backoff.ts'
import { copyRest, copySettled, deleteCustomerRows } from '../store/cells/customer-copy.ts'
import { withMoveLock } from '../store/cells/move-lock.ts'
import {
  expectCustomer,
  findMoveState,
  hasLeasedRuns,
  type Move,
  type MoveState,
  openForCustomer,
  removeExpected,
  setMoveState,
} from '../store/cells/move-state.ts'
import { waitForWriters } from '../store/cells/writers.ts'
import { findCredentials } from '../store/keys/credentials.ts'
import { listKeys } from '../store/keys/keys.ts'
import { takeBackRuns } from '../store/run-log/revoke-leases.ts'
import type { OpenCell } from './cell.ts'
import { MoveRefused } from './move-refused.ts'

export interface MoveOptions {
  readonly customerId: string
  readonly source: OpenCell
  readonly target: OpenCell
  readonly report: (line: string) => void
  readonly times?: Partial<MoveTimes>
}

interface MoveTimes {
  /** How long runs may take to end their current steps. */
  readonly drainMs: number
  /** Longer than a gate remembers where a key is. */
  readonly switchMs: number
  /** Longer than the pause between two checks of the keys of open streams. */
  readonly streamsMs: number
}

const defaultTimes: MoveTimes = { drainMs: 30_000, switchMs: 1_500, streamsMs: 15_000 }

/** Copies are repeated while the customer is served, until so little differs. */
const few = 200
const maxRounds = 5
const drainPollMs = 100

export async function moveCustomer(options: MoveOptions): Promise<void> {
  const { source, customerId } = options
  await withMoveLock(source.database, customerId, async (isOurs) => {
    if (!isOurs) throw new MoveRefused(`Another process is moving ${customerId}. Wait until it ends.`)
    await new CustomerMove(options).run()
  })
}

/** Ends a move that has not been switched: the customer stays where it is. */
export async function abortMove({ customerId, source, target }: Omit<MoveOptions, 'report'>): Promise<void> {
  await withMoveLock(source.database, customerId, async (isOurs) => {
    if (!isOurs) throw new MoveRefused(`Another process is moving ${customerId}. Stop it first.`)
    const state = await findMoveState(source.database, customerId)
    if (state?.move === 'moved') {
      throw new MoveRefused(
        `${customerId} has already been moved to ${state.cell}. Repeat the command without --abort to finish the move.`,
      )
    }
    if (!isLeaving(state) || state?.cell !== target.name) {
      throw new MoveRefused(`${customerId} is not being moved to ${target.name}.`)
    }
    await setMoveState(source.database, customerId, { move: null, cell: null })
    const there = await findMoveState(target.database, customerId)
    if (there?.move !== 'arriving') return
    await deleteCustomerRows(target.database, customerId)
    await removeExpected(target.database, customerId)
  })
}

/** Not switched yet. */
const isLeaving = (state: MoveState | undefined): boolean =>
  state?.move === 'copying' || state?.move === 'leaving' || state?.move === 'held'

class CustomerMove {
  readonly #options: MoveOptions
  readonly #times: MoveTimes
  #heldAt: number | undefined

  constructor(options: MoveOptions) {
    this.#options = options
    this.#times = { ...defaultTimes, ...options.times }
  }

  async run(): Promise<void> {
    const move = await this.#begin()
    if (move !== 'moved') {
      if (move === 'copying') await this.#copyWhileServing()
      if (move !== 'held') await this.#drain()
      await this.#hold()
      await this.#copyHeld()
      await this.#set('moved')
    }
    await this.#switch()
    await this.#cleanUp()
  }

  /** Returns the step to begin or continue with. */
  async #begin(): Promise<Move> {
    const { customerId, source, target } = this.#options
    const [here, there] = await Promise.all([
      findMoveState(source.database, customerId),
      findMoveState(target.database, customerId),
    ])
    this.#refuseImpossible(here, there)
    if (here?.move) return here.move
    await this.#refuseUsedKeys()
    await expectCustomer(target.database, customerId, source.name)
    await this.#set('copying')
    return 'copying'
  }

  #refuseImpossible(here: MoveState | undefined, there: MoveState | undefined): void {
    const { customerId, source, target } = this.#options
    if (!here || here.move === 'arriving' || here.move === 'gone')
      throw new MoveRefused(`The cell ${source.name} has no customer ${customerId}.`)
    if (here.move !== null && here.cell !== target.name) {
      throw new MoveRefused(`${customerId} is being moved to ${here.cell}. Finish or abort that move first.`)
    }
    const isOther = there && (there.move === null || (there.move === 'arriving' && there.cell !== source.name))
    if (here.move !== 'moved' && isOther) {
      throw new MoveRefused(
        `The cell ${target.name} has another customer ${customerId}. Two customers cannot share an id.`,
      )
    }
    if (source.sealing.hashBody('').equals(target.sealing.hashBody(''))) return
    throw new MoveRefused(
      `The databases of ${source.name} and ${target.name} hash requests with different keys, so repeated requests would not be recognized. Set up ${target.name} with an empty database.`,
    )
  }

  async #refuseUsedKeys(): Promise<void> {
    const { customerId, source, target } = this.#options
    const ids = (await listKeys(source.database, customerId)).map(({ id }) => id)
    const used = [...(await findCredentials(target.database, ids)).values()].find(
      (key) => key.customerId !== customerId,
    )
    if (used) throw new MoveRefused(`The cell ${target.name} has the key ${used.keyId} of another customer.`)
  }

  async #copyWhileServing(): Promise<void> {
    this.#say('copying ended runs; the customer is served as usual')
    for (let round = 0; round < maxRounds; round += 1) {
      const copied = await copySettled(this.#copy())
      if (copied <= few) return
    }
  }

  async #drain(): Promise<void> {
    const { source, customerId } = this.#options
    await this.#set('leaving')
    this.#say('waiting for running steps; no further run is started')
    const until = performance.now() + this.#times.drainMs
    while ((await hasLeasedRuns(source.database, customerId)) && performance.now() < until) await sleep(drainPollMs)
    // Before the hold: a worker may still record the tokens of the calls that it aborts.
    const taken = await takeBackRuns(source.database, customerId)
    if (taken > 0) this.#say(`${taken} runs were taken from their workers; their current steps are repeated`)
    if (taken > 0) await sleep(this.#times.switchMs)
  }

  async #hold(): Promise<void> {
    const { source, customerId } = this.#options
    await this.#set('held')
    this.#heldAt = performance.now()
    this.#say('writes are held')
    await waitForWriters(source.database)
    await takeBackRuns(source.database, customerId)
  }

  async #copyHeld(): Promise<void> {
    const copied = await copyRest(this.#copy())
    this.#say(`copied and compared everything; ${copied} runs and notes were open or had changed`)
  }

  /** Gates learn it one after another. Until all have, both cells have the same and accept no writes. */
  async #switch(): Promise<void> {
    const { target, customerId } = this.#options
    const there = await findMoveState(target.database, customerId)
    if (there?.move !== 'arriving') return
    await sleep(this.#times.switchMs)
    await openForCustomer(target.database, customerId)
    const seconds = this.#heldAt === undefined ? '' : `; writes were held for ${this.#heldSeconds(this.#heldAt)} s`
    this.#say(`${customerId} is served by ${target.name}${seconds}`)
  }

  #heldSeconds(since: number): string {
    return ((performance.now() - since) / 1000).toFixed(1)
  }

  async #cleanUp(): Promise<void> {
    const { source, customerId } = this.#options
    this.#say(`waiting for open streams, then deleting the rows in ${source.name}`)
    await sleep(this.#times.streamsMs)
    await deleteCustomerRows(source.database, customerId)
    await this.#set('gone')
    this.#say('done')
  }

  #copy() {
    const { customerId, source, target } = this.#options
    return {
      customerId,
      source: source.database,
      target: target.database,
      keys: { source: source.sealing, target: target.sealing },
      report: (line: string) => this.#say(line),
    }
  }

  #set(move: Move): Promise<void> {
    const { source, target, customerId } = this.#options
    return setMoveState(source.database, customerId, { move, cell: target.name })
  }

  #say(line: string): void {
    this.#options.report(line)
  }
}
