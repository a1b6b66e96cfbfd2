// A whole service whose three roles are played by a strict mock of a provider: what each role answers is scripted by
// the test, and what each was asked can be read afterwards. The service reaches the mock through one of its adapters.
import type { ProviderRetry } from '../../src/engine/context/agent-limits.ts'
import type { Embedder } from '../../src/memory/embedders/embedder.ts'
import type { Tracing } from '../../src/telemetry/traces/tracing.ts'
import type { FetchFile } from '../../src/tools/http-fetch/fetch-file.ts'
import type { Tool } from '../../src/tools/port/tool.ts'
import { type Adapter, setups } from './adapters.ts'
import { type Bench, startBench } from './engine.ts'
import { type MockProvider, startMockProvider } from './providers/mock-provider.ts'
import { type NeutralRequest, type Reply, say } from './providers/script.ts'

type RoleName = 'planner' | 'worker' | 'judge' | 'grade' | 'summary'

const openings: Readonly<Record<RoleName, string>> = {
  planner: 'You plan the work',
  worker: 'You are an agent that works',
  judge: 'You judge the work',
  grade: 'You grade the answer',
  summary: 'You shorten the history',
}

export const roleOf = ({ system }: NeutralRequest): RoleName => {
  const found = Object.entries(openings).find(([, opening]) => system.startsWith(opening))
  if (!found) throw new Error(`no role begins with ${JSON.stringify(system.slice(0, 60))}`)
  return found[0] as RoleName
}

type Answer = Reply | ((request: NeutralRequest) => Reply)
/** A list is played in order and its last entry repeated; a single answer is always given. */
type RoleScript = Partial<Record<RoleName, Answer | readonly Answer[]>>

export const verdict = (decision: string, reason = `because ${decision}`, more: object = {}): Reply =>
  say([JSON.stringify({ decision, reason, ...more })])
export const json = (value: unknown): Reply => say([JSON.stringify(value)])

interface AgentBenchOptions {
  /** Default: `openai-compatible`. */
  readonly adapter?: Adapter
  readonly env?: Readonly<Record<string, string>>
  readonly tools?: readonly Tool[]
  readonly embedder?: Embedder
  readonly fetchFile?: FetchFile
  readonly providerRetry?: Partial<ProviderRetry>
  readonly tracing?: Tracing | undefined
}

/** Waits of a test are shorter than a service's; those above 200 ms park. */
const quickRetry: Partial<ProviderRetry> = { firstMs: 20, maxMs: 200, parkAboveMs: 200 }

export class AgentBench {
  readonly bench: Bench
  readonly provider: MockProvider
  #script: RoleScript = {}
  #asked: { readonly role: RoleName; readonly request: NeutralRequest }[] = []

  private constructor(bench: Bench, provider: MockProvider) {
    this.bench = bench
    this.provider = provider
  }

  static async start(options: AgentBenchOptions = {}): Promise<AgentBench> {
    const { adapter = 'openai-compatible', env = {}, providerRetry = quickRetry, ...parts } = options
    const { format, model, variables } = setups[adapter]
    let answer: (request: NeutralRequest) => Reply = () => say('not ready')
    const provider = await startMockProvider(format, (request) => answer(request))
    const environment = { [`${variables}_BASE_URL`]: provider.baseUrl, [`${variables}_API_KEY`]: 'sk-test' }
    const settings = { RUNWRIGHT_MODEL: model, ...env }
    const bench = await startBench(settings, { ...parts, providerRetry, environment })
    const agents = new AgentBench(bench, provider)
    answer = (request) => agents.#answer(request)
    return agents
  }

  /** What the roles answer from now on; a judge that is not scripted is content. */
  script(script: RoleScript): void {
    this.#script = { judge: verdict('stop'), ...script }
    this.#asked = []
  }

  async play(script: RoleScript, body: object) {
    this.script(script)
    return this.bench.play(body)
  }

  /** The requests of one role, in their order. */
  asked(role: RoleName): NeutralRequest[] {
    return this.#asked.filter((asked) => asked.role === role).map(({ request }) => request)
  }

  get calls(): RoleName[] {
    return this.#asked.map(({ role }) => role)
  }

  /** All text of a request but its system prompt. */
  static textOf(request: NeutralRequest | undefined): string {
    return (request?.messages ?? [])
      .map(({ text, toolResults }) => [text, ...toolResults.map((result) => result.text)].join('\n'))
      .join('\n')
  }

  async stop(): Promise<void> {
    try {
      await this.bench.stop()
    } finally {
      await this.provider.close()
    }
  }

  #answer(request: NeutralRequest): Reply {
    const role = roleOf(request)
    const nth = this.asked(role).length
    this.#asked.push({ role, request })
    const scripted = this.#script[role] ?? say('This is not scripted.')
    const answer = Array.isArray(scripted)
      ? (scripted[Math.min(nth, scripted.length - 1)] as Answer)
      : (scripted as Answer)
    return typeof answer === 'function' ? answer(request) : answer
  }
}
