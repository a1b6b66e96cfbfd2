// @ts-check
// The program of `LeaseThread` in the side thread: renews the leases that it was told of when the worker is late.

/** @typedef {import('./lease-thread.ts').LeaseThreadData} LeaseThreadData */
/** @typedef {import('./lease-thread.ts').ToldThread} ToldThread */
/** @typedef {import('./lease-thread.ts').SaidThread} SaidThread */
/** @typedef {import('node:worker_threads').MessagePort} MessagePort */

const connectMs = 2_000
const answerMs = 5_000
/** How many looks there are in the time between two renewals. */
const looks = 4

/**
 * @param {LeaseThreadData} data
 * @param {MessagePort} port
 */
export function start(data, port) {
  const renewer = new Renewer(data, port)
  port.on('message', (told) => renewer.onMessage(told))
  const timer = setInterval(() => renewer.look(), data.everyMs / looks)
  port.on('close', () => {
    clearInterval(timer)
    renewer.stop()
  })
}

class Renewer {
  #data
  #port
  #beats
  #lastBeat = -1
  #beatAt = performance.now()
  /** @type {ToldThread['values']} */
  #values
  #toldAt = 0
  #dueAt = Number.POSITIVE_INFINITY
  #isBusy = false
  #connection
  /** @type {import('pg').Client | undefined} */
  #client

  /**
   * @param {LeaseThreadData} data
   * @param {MessagePort} port
   */
  constructor(data, port) {
    this.#data = data
    this.#port = port
    this.#connection = data.connection
    this.#beats = new Int32Array(data.heartbeat)
  }

  /** @param {ToldThread} told */
  onMessage({ values, connection }) {
    if (connection) {
      this.#connection = connection
      this.stop()
    }
    if (!values) return
    this.#values = values
    this.#toldAt = performance.now()
    // The worker comes first, also if it is a little late.
    this.#dueAt = this.#toldAt + this.#data.everyMs * 1.5
  }

  look() {
    const now = performance.now()
    const beat = Atomics.load(this.#beats, 0)
    if (beat !== this.#lastBeat) this.#beatAt = now
    this.#lastBeat = beat
    const isBlocked = now - this.#beatAt > this.#data.holdMs
    if (!this.#values?.[3].length || now < this.#dueAt || isBlocked || this.#isBusy) return
    this.#dueAt = now + this.#data.everyMs
    this.#isBusy = true
    this.#renew(this.#values)
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#isBusy = false
      })
  }

  /** Ends the connection. The next renewal opens another one. */
  stop() {
    this.#client?.end().catch(() => undefined)
    this.#client = undefined
  }

  /** @param {NonNullable<ToldThread['values']>} values */
  async #renew([workerId, leaseMs, customerIds, runIds, epochs, stepMs]) {
    const client = await this.#connect()
    const sinceMs = performance.now() - this.#toldAt
    const leftMs = stepMs.map((ms) => (ms === null ? null : Math.max(0, ms - sinceMs)))
    const [sentNs, sentWallMs] = [process.hrtime.bigint(), Date.now()]
    const values = [workerId, leaseMs, customerIds, runIds, epochs, leftMs]
    const { rows } = await client.query({ name: 'renew-leases', text: this.#data.statement, values })
    this.#say({ runIds, epochs, rows, sentNs, sentWallMs })
  }

  async #connect() {
    if (this.#client) return this.#client
    // Most workers are never late: they do not load it.
    const { default: pg } = await import('pg')
    const client = new pg.Client({
      ...this.#connection,
      application_name: 'runwright leases',
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
    })
    client.on('error', () => this.stop())
    this.#client = client
    await client.connect()
    await client.query(`set jit = off; set statement_timeout = ${answerMs}`)
    return client
  }

  /** @param {Error} error */
  #fail(error) {
    this.stop()
    this.#say({ problem: error.message })
  }

  /** @param {SaidThread} said */
  #say(said) {
    this.#port.postMessage(said)
  }
}
