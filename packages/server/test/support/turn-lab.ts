// A real process of the service whose turns of the event loop are measured, with a provider, an MCP server and an own
// tool that answer what a test tells them. All that a test computes itself happens in another process.
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { terminalEventTypes } from '@runwright/contract'
import { setups } from './adapters.ts'
import { roleOf, verdict } from './agents.ts'
import { onQuietMachine, promisedTurnMs } from './cpu-time.ts'
import type { Caller } from './http.ts'
import { type HostedFleet, newFolder, type ServiceProcess, startFleet } from './processes.ts'
import { type MockProvider, startMockProvider } from './providers/mock-provider.ts'
import { type NeutralRequest, type Reply, say } from './providers/script.ts'

const ownTools = `
import { readFileSync } from 'node:fs'
const input = { type: 'object', properties: { file: { type: 'string' } } }
export default {
  name: 'give', description: 'For tests.', input, effect: 'read',
  run: async ({ file }) => JSON.parse(readFileSync(file, 'utf8')),
}`

/** The first times are slower, because the code is not compiled yet. */
const maxTries = 6

type Answers = Partial<Record<'planner' | 'worker' | 'judge' | 'grade' | 'summary', Reply | readonly Reply[]>>

export class TurnLab {
  readonly caller: Caller
  readonly #fleet: HostedFleet
  readonly #service: ServiceProcess
  readonly #provider: MockProvider
  readonly #folder: string
  #answers: Answers = {}
  #asked: string[] = []
  #files = 0

  private constructor(fleet: HostedFleet, service: ServiceProcess, provider: MockProvider, folder: string) {
    this.#fleet = fleet
    this.#service = service
    this.#provider = provider
    this.#folder = folder
    this.caller = fleet.fleet.caller(service)
    const send = this.caller.send.bind(this.caller)
    // A service that refuses a request because it is behind has not done the work that is measured.
    this.caller.send = async (request) => {
      const reply = await send(request)
      if (reply.status >= 500) throw new Error(`The service answered ${reply.status}: ${reply.text}`)
      return reply
    }
  }

  static async start(): Promise<TurnLab> {
    const folder = await newFolder()
    let answer: (request: NeutralRequest) => Reply = () => say('not ready')
    const { format, model, variables } = setups['openai-compatible']
    const provider = await startMockProvider(format, (request) => answer(request))
    await writeFile(join(folder, 'give.mjs'), ownTools)
    const giver = { command: process.execPath, args: [join(import.meta.dirname, 'mcp-giver.mjs')] }
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { giver } }))
    const fleet = await startFleet({
      env: {
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'turn-meter.mjs')}`,
        RUNWRIGHT_MODEL: model,
        [`${variables}_BASE_URL`]: provider.baseUrl,
        [`${variables}_API_KEY`]: 'sk-test',
        RUNWRIGHT_TOOLS_DIR: folder,
        RUNWRIGHT_MCP_CONFIG: join(folder, 'mcp.json'),
      },
    })
    const lab = new TurnLab(fleet, await fleet.fleet.start('start'), provider, folder)
    answer = (request) => lab.#answer(request)
    return lab
  }

  /** What the roles answer from now on. A list is played in order, and its last entry repeated. */
  script(answers: Answers): void {
    this.#answers = answers
    this.#asked = []
  }

  /** A file that the tools can give back. */
  file(text: string): string {
    this.#files += 1
    const path = join(this.#folder, `${this.#files}.txt`)
    writeFileSync(path, text)
    return path
  }

  /** Resolves when the run has ended. */
  async play(body: unknown): Promise<string | undefined> {
    const created = await this.caller.create(body)
    if (created.status !== 201) return undefined
    const { id } = created.json<{ id: string }>()
    await this.ended(id)
    return id
  }

  /** Resolves when the run waits for input, and when it has ended. */
  waits = (id: string): Promise<void> => this.#until(id, ['run.awaiting_input'])
  ended = (id: string): Promise<void> => this.#until(id, terminalEventTypes)

  async #until(id: string, types: readonly string[]): Promise<void> {
    const stream = await this.caller.stream(`/v1/runs/${id}/events/stream`)
    try {
      await stream.until(({ text }) => types.some((type) => text.includes(`"type":"${type}"`)), 60_000)
    } finally {
      stream.close()
    }
  }

  /**
   * How many milliseconds the service holds its event loop at a time while the work lasts, on a machine on which the
   * baseline takes 10 ms. It is repeated until it keeps the promise: whatever else happens can only add to it, such as
   * a garbage collection, or code that is not compiled yet.
   */
  async longestTurnMs(work: () => Promise<unknown>): Promise<number> {
    let smallest = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < maxTries && smallest >= promisedTurnMs; tries += 1) {
      this.#asked = []
      const before = await this.#measure()
      await work()
      const { longestMs, baselineMs } = await this.#measure()
      smallest = Math.min(smallest, onQuietMachine(longestMs, Math.min(before.baselineMs, baselineMs)))
    }
    return smallest
  }

  /** The longest turn since the last time, and what the baseline took. */
  #measure = () => this.#service.measure('turns') as Promise<{ longestMs: number; baselineMs: number }>

  async stop(): Promise<void> {
    await this.#fleet.close()
    await this.#provider.close()
  }

  #answer(request: NeutralRequest): Reply {
    const role = roleOf(request)
    const nth = this.#asked.filter((asked) => asked === role).length
    this.#asked.push(role)
    const scripted = this.#answers[role] ?? (role === 'judge' ? verdict('stop') : say('Done.'))
    return Array.isArray(scripted) ? scripted[Math.min(nth, scripted.length - 1)] : (scripted as Reply)
  }
}
