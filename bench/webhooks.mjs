// Webhooks: how many messages are delivered beside full load, and how many alone. One process serves, executes and
// delivers; the endpoint is in this process. Every message is counted, and none may be missing or doubled.
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { Database } from '../packages/server/dist/store/postgres/database.js'
import { median, report, spread } from './lib/report.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const inFlight = 50
const body = JSON.stringify({
  input: { sandbox: { steps: [{}, {}, {}] } },
  metadata: {},
  routing_hint: 'skip_planning',
})
const event_types = ['run.created', 'run.worker.started', 'run.worker.succeeded']
const script = (name) => new URL(`./lib/${name}`, import.meta.url).pathname

export async function run([runsText = '3000', roundsText = '3']) {
  const runs = Number(runsText)
  const rounds = []
  for (let round = 1; round <= Number(roundsText); round += 1) {
    rounds.push(await measure(runs))
    const { beside, alone, drained, unhooked } = rounds.at(-1)
    const [a, b, c, d] = [beside, alone, drained, unhooked].map(Math.round)
    console.log(`round ${round}: ${a} messages/s beside load, ${b}/s alone; ${c} runs/s with webhooks, ${d} without`)
  }
  const all = (name) => spread(rounds.map((round) => round[name]))
  const ratio = median(rounds.map(({ drained }) => drained)) / median(rounds.map(({ unhooked }) => unhooked))
  report('webhooks', {
    title: `Webhooks: ${event_types.length} messages for each of ${runs} runs of 3 no-op steps, ${inFlight} creates at a time`,
    columns: ['what', 'result'],
    rows: [
      ['messages/s while the runs are created and executed', all('beside')],
      ['messages/s after that, alone', all('alone')],
      ['runs/s with webhooks', `${all('drained')}: ${ratio.toFixed(2)} × without`],
      ['runs/s without webhooks', all('unhooked')],
    ],
    notes: [
      'The endpoint answers 204 at once. Each message has a connection of its own.',
      'One process does everything, and its event loop is busy all the time: what it delivers beside the load, it takes from the runs. With 128 messages in flight for an endpoint instead of 32, it delivered 1.9 times as many and executed 0.45 times as many runs.',
    ],
  })
}

async function measure(runs) {
  const endpoint = await startEndpoint()
  const env = { RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }
  const service = await startProcess('./serve.mjs', { args: [JSON.stringify({ executes: true })], env })
  try {
    await allowWebhooks(service)
    await drain(service, 500)
    const unhooked = await drain(service, runs)
    await hook(service, endpoint.url)
    const start = performance.now()
    const drained = await drain(service, runs)
    const loadSeconds = (performance.now() - start) / 1000
    const during = endpoint.ids.size
    await endpoint.until(runs * event_types.length)
    const aloneSeconds = (performance.now() - start) / 1000 - loadSeconds
    if (endpoint.count !== endpoint.ids.size) throw new Error('a message was delivered twice')
    const alone = (runs * event_types.length - during) / aloneSeconds
    return { unhooked, drained, beside: during / loadSeconds, alone }
  } finally {
    await service.stop()
    endpoint.stop()
  }
}

/** The key of benchmarks has the scopes of every first key, without this one. */
async function allowWebhooks({ connection }) {
  const database = new Database({ connection, maxConnections: 1, applicationName: 'bench' })
  await database.run({ text: "update api_keys set scopes = scopes || '{webhooks:admin}'" })
  await database.close()
}

async function drain(service, runs) {
  const start = performance.now()
  const options = { url: service.url, key: benchKey, runs, inFlight, body }
  await promisify(execFile)(process.execPath, [script('drain-load.mjs'), JSON.stringify(options)])
  await service.ask({ what: 'drained' })
  return runs / ((performance.now() - start) / 1000)
}

async function hook({ url: service }, url) {
  const response = await fetch(`${service}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_types }),
  })
  if (response.status !== 201) throw new Error(`the webhook was not created: ${await response.text()}`)
}

async function startEndpoint() {
  const state = { count: 0, ids: new Set(), whenChanged: () => undefined }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      state.count += 1
      state.ids.add(request.headers['webhook-id'])
      response.writeHead(204).end()
      state.whenChanged()
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    get count() {
      return state.count
    },
    ids: state.ids,
    url: `http://127.0.0.1:${server.address().port}/`,
    until: (count) =>
      new Promise((resolve) => {
        state.whenChanged = () => state.ids.size >= count && resolve()
        state.whenChanged()
      }),
    stop: () => server.close(),
  }
}
