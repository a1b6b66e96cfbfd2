// One trial: a service under load and faults for a time, then without faults until all runs have ended, then the
// checks.
import { setMaxListeners } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fleet, newFolder, type Part, until, urlOf } from '../support/processes.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { type NeutralRequest, type Reply, say } from '../support/providers/script.ts'
import { answerWith, Receiver } from '../support/receiver.ts'
import type { Violation } from './checker/judge.ts'
import { Crew } from './faults/crew.ts'
import { playFaults } from './faults/play-faults.ts'
import { type FaultKind, faultsOf, type Scenario } from './faults/schedule.ts'
import { judgeTrial, webhookTypes } from './judge-trial.ts'
import { Client, newKey, type Place } from './load/client.ts'
import { courseAt, type Office, Player } from './load/courses.ts'
import { Random } from './random.ts'
import { startTrialServer, type TrialServer } from './servers.ts'
import { answerShopTask } from './shop/shop-model.ts'
import { ShopServer, toolModules } from './shop/shop-server.ts'

export interface TrialOptions {
  readonly scenario: Scenario
  readonly seed: number
  readonly seconds: number
  /** Runs that are under way at a time. */
  readonly clients?: number
  /** Ends the faults early. */
  readonly faults?: number
  /** Another build of the service, such as one with a planted defect. */
  readonly program?: string
  readonly parts?: readonly Part[]
  /** For `NODE_OPTIONS` of each process. */
  readonly nodeOptions?: string
  readonly report?: (line: string) => void
}

export interface TrialResult {
  readonly scenario: Scenario
  readonly seed: number
  readonly seconds: number
  readonly faults: Partial<Record<FaultKind, number>>
  readonly runs: number
  readonly operations: number
  readonly questions: number
  /** Tasks of the shop. */
  readonly tasks: number
  readonly effects: number
  readonly messages: number
  /** Calls that left after their lease, as the service itself says. */
  readonly toldLate: number
  readonly violations: readonly Violation[]
}

/** How long runs may take to end when the faults are over (I18), on a machine that does other things too. */
const drainMs = 180_000

const crewParts = ['api', 'api', 'worker', 'worker', 'worker'] as const

const environment = {
  RUNWRIGHT_LEASE_SECONDS: '1.5',
  RUNWRIGHT_HEARTBEAT_SECONDS: '0.2',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
  RUNWRIGHT_MAX_RECOVERIES: '1000',
  RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  RUNWRIGHT_MODEL: 'openai-compatible/gpt-test',
  OPENAI_COMPATIBLE_API_KEY: 'sk-test',
}

/** Everything around the service: what it calls, and what calls it. */
export interface Stage {
  readonly server: TrialServer
  readonly shop: ShopServer
  readonly provider: MockProvider
  readonly receiver: Receiver
  readonly crew: Crew
  readonly office: Office
  readonly ended: AbortController
}

export const runTrial = (options: TrialOptions): Promise<TrialResult> =>
  withStage(options, (stage) => perform(options, stage))

/** Sets the stage with a webhook and a schedule, and takes all of it away in the end. */
export async function withStage<Result>(
  options: TrialOptions,
  act: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  const closing: (() => unknown)[] = []
  try {
    const stage = await setStage(options, ended, closing)
    await addWebhook(stage)
    await addSchedule(stage)
    return await act(stage)
  } finally {
    ended.abort()
    for (const close of closing.reverse()) await close()
  }
}

async function setStage(options: TrialOptions, ended: AbortController, closing: (() => unknown)[]): Promise<Stage> {
  const { seed, scenario, parts = crewParts } = options
  const server = await startTrialServer(scenario)
  closing.push(() => server.stop())
  const shop = await new ShopServer(seed).open()
  closing.push(() => shop.close())
  const provider = await startMockProvider('openai-chat', scriptOf())
  closing.push(() => provider.close())
  const receiver = await new Receiver().start()
  closing.push(() => receiver.stop())
  const folder = await newFolder()
  await mkdir(join(folder, 'tools'))
  for (const [file, text] of Object.entries(toolModules(shop.url))) await writeFile(join(folder, 'tools', file), text)
  const { connection } = server
  const fleet = new Fleet(folder, connection.connectionString ?? urlOf(connection), {
    ...environment,
    RUNWRIGHT_TOOLS_DIR: join(folder, 'tools'),
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
  })
  closing.push(() => fleet.close())
  const crew = new Crew(fleet, folder, { ...options, hasSpares: faultsOf(scenario).includes('kill') })
  closing.push(() => crew.close())
  await crew.start(parts)
  const place: Place = { urls: crew.urls, key: fleet.key, surprises: [], signal: ended.signal }
  const office: Office = { place, shop, records: [], questions: 0 }
  return { server, shop, provider, receiver, crew, office, ended }
}

/** Runs of the retry course fail at their first call. */
function scriptOf(): (request: NeutralRequest) => Reply {
  const failed = new Set<string>()
  return (request) => {
    if (request.system.startsWith('You judge the work')) return say(['{"decision":"stop","reason":"It is done."}'])
    const shop = answerShopTask(request)
    if (shop) return shop
    const text = request.messages.map((message) => message.text).join('\n')
    const [order] = /Fail once, number \d+/.exec(text) ?? []
    if (order === undefined || failed.has(order)) return say('A word of the model.')
    failed.add(order)
    return { kind: 'fail', failure: 'bad_request' }
  }
}

async function perform(options: TrialOptions, stage: Stage): Promise<TrialResult> {
  const { scenario, seed, seconds, clients = 24, report = () => undefined } = options
  const { crew, office, receiver, server } = stage
  const began = performance.now()
  const faults: Partial<Record<FaultKind, number>> = {}
  const overFaults = new AbortController()
  const count = () => Object.values(faults).reduce((sum, each) => sum + each, 0)
  const telling = setInterval(() => {
    const took = Math.round((performance.now() - began) / 1_000)
    report(`${took} s: ${JSON.stringify(faults)}, ${office.records.length} runs, ${office.questions} questions`)
  }, 10_000)
  const timer = setTimeout(() => overFaults.abort(), seconds * 1_000)
  const onFault = ({ kind }: { readonly kind: FaultKind }) => {
    faults[kind] = (faults[kind] ?? 0) + 1
    if (count() >= (options.faults ?? Number.POSITIVE_INFINITY)) overFaults.abort()
  }
  try {
    const loading = load(office, seed, clients, overFaults.signal)
    await playFaults({ scenario, seed, crew, trouble: server.trouble, signal: overFaults.signal, onFault })
    await whenAborted(overFaults.signal)
    report(`the faults are over: ${JSON.stringify(faults)}`)
    const isIdle = await Promise.race([loading.then(() => true), sleep(drainMs, false, { signal: stage.ended.signal })])
    report(isIdle ? 'all runs have ended' : 'runs have not ended')
    const { violations, runs } = await judgeTrial(stage, { isIdle })
    return {
      scenario,
      seed,
      seconds: Math.round((performance.now() - began) / 1_000),
      faults,
      runs,
      operations: office.records.reduce((sum, { history }) => sum + history.operations.length, 0),
      questions: office.questions,
      tasks: office.records.filter(({ task }) => task).length,
      effects: stage.shop.effects.length,
      messages: receiver.received.all.length,
      toldLate: crew.toldLate,
      violations,
    }
  } finally {
    clearInterval(telling)
    clearTimeout(timer)
  }
}

const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })

/** Clients side by side; each takes the next course when its run has ended. */
async function load(office: Office, seed: number, clients: number, signal: AbortSignal): Promise<void> {
  let next = 0
  const work = async () => {
    while (!signal.aborted) {
      next += 1
      await new Player(office, courseAt(seed, next - 1)).play()
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
}

/** Its receiver refuses a part of the messages, so that they are sent again. */
async function addWebhook({ server, office, receiver }: Stage): Promise<void> {
  const random = new Random(1)
  receiver.answer = (response, request) => answerWith(random.next() < 0.05 ? 500 : 204)(response, request)
  await server.database.run({ text: "update api_keys set scopes = array_append(scopes, 'webhooks:admin')" })
  const client = new Client('operator', office.place)
  const body = { url: receiver.url, event_types: webhookTypes }
  const created = await until(
    async () => {
      const { status } = await client.plain('/v1/webhooks', body)
      return status === 201
    },
    { what: 'a webhook', every: 500 },
  )
  if (!created) throw new Error('no webhook')
}

async function addSchedule({ office }: Stage): Promise<void> {
  const run = { input: {}, metadata: {}, plan: { steps: [{ id: 'word', instruction: 'Say a word.', judge: 'never' }] } }
  const { status, body } = await new Client('operator', office.place).plain('/v1/schedules', {
    name: newKey('schedule'),
    cron: '* * * * *',
    catch_up: 'all',
    run,
  })
  if (status !== 201) throw new Error(`no schedule: ${JSON.stringify(body)}`)
}
