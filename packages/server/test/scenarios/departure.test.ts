// A service under load that is asked to stop, behind a load balancer that looks at /health/ready.
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { emptyRun } from '../support/http.ts'
import { Occurrences } from '../support/occurrences.ts'
import { type Service, startService } from '../support/service.ts'

interface Answer {
  readonly status: number
  readonly closes: boolean
  readonly reused: boolean
}

/** One kept-alive connection. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  async ask(method: 'GET' | 'POST', path: string): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.#service.key}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    }
    const sent = request(`${this.#service.url}${path}`, { method, agent: this.#agent, headers })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject)
    })
    sent.end(method === 'POST' ? JSON.stringify(emptyRun) : undefined)
    const response = await answered
    for await (const _ of response);
    return {
      status: response.statusCode ?? 0,
      closes: response.headers.connection === 'close',
      reused: sent.reusedSocket,
    }
  }

  /** Asks again and again until it is told to close its connection. */
  async askOn(method: 'GET' | 'POST', answers: Occurrences<Answer>): Promise<void> {
    for (let closes = false; !closes; ) {
      const answer = await this.ask(method, '/v1/runs')
      answers.add(answer)
      closes = answer.closes
    }
  }
}

test('says at once that it leaves, goes on answering, and leaves no request without an answer', async () => {
  const service = await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' }, { announceMs: 500 })
  const balancer = new Client(service)
  expect(await balancer.ask('GET', '/health/ready')).toMatchObject({ status: 200 })
  const answers = new Occurrences<Answer>()
  const methods = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'GET' : 'POST'))
  const clients = Promise.all(methods.map((method) => new Client(service).askOn(method, answers)))
  const since = performance.now()
  await answers.until(() => performance.now() - since > 1_100)
  expect(await balancer.ask('GET', '/health/ready')).toMatchObject({ status: 200 })
  const before = answers.all.length
  const stopped = service.stop()
  expect(await balancer.ask('GET', '/health/ready')).toMatchObject({ status: 503 })
  // Rejects if a connection ends without an answer.
  await clients
  await stopped
  const during = answers.all.slice(before)
  const goesOn = during.filter(({ status, closes }) => status < 300 && !closes)
  const last = during.filter(({ closes }) => closes)
  expect(goesOn.length).toBeGreaterThan(0)
  expect(last).toHaveLength(20)
  expect(last.filter(({ reused }) => !reused)).toEqual([])
  // A balancer would pass a refusal on to its client.
  expect(during.filter(({ status }) => status >= 300)).toEqual([])
})
