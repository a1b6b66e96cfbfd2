// What a request with a token costs beside one with its key. They take turns, one by one, on an idle service.
import { secretHash } from '../packages/server/dist/access/key-secret.js'
import { TokenForm } from '../packages/server/dist/access/token-form.js'
import { percentile, report, spread } from './lib/report.mjs'
import { createRun, send } from './lib/send.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const body = JSON.stringify({ input: {}, metadata: {}, subject_id: 'me' })
/** As in lib/serve.mjs. */
const keyPepper = Buffer.alloc(32, 2)

export async function run([requestsText = '3000', roundsText = '5']) {
  const rounds = []
  for (let round = 1; round <= Number(roundsText); round += 1) rounds.push(await measure(Number(requestsText)))
  const row = (name, values) => [
    name,
    ...[0.5, 0.99].map((share) =>
      spread(
        rounds.map((result) => percentile(result[values], share)),
        3,
      ),
    ),
  ]
  report('tokens', {
    title: `A request with a token, ${requestsText} of each kind, one by one`,
    columns: ['GET /v1/runs/{id}', 'p50 ms', 'p99 ms'],
    rows: [
      row('with the key, the baseline', 'key'),
      row('with a token of the key', 'plain'),
      row('with a token of a subject', 'subject'),
    ],
    notes: ['The three kinds take turns within a round. Key, token and labels of the run are in the caches.'],
  })
}

function tokensOf() {
  const form = new TokenForm(keyPepper)
  const [keyId, secret] = benchKey.split(/:(.*)/s)
  const secretMark = form.markOf(secretHash(keyPepper)(keyId, secret))
  const claims = { keyId, secretMark, scopes: ['runs:read'], expiresAtMs: Date.now() + 3_600_000 }
  return { plain: form.write(claims), subject: form.write({ ...claims, limits: { subjectId: 'me' } }) }
}

async function measure(requests) {
  const service = await startProcess('./serve.mjs')
  const credentials = Object.entries({ key: benchKey, ...tokensOf() })
  const result = Object.fromEntries(credentials.map(([name]) => [name, []]))
  try {
    const id = await createRun(service.url, { idempotencyKey: 'one', body })
    const ask = async ([name, credential], keep) => {
      const began = performance.now()
      const text = await send(`${service.url}/v1/runs/${id}`, { headers: { authorization: `Bearer ${credential}` } })
      const took = performance.now() - began
      if (!text.includes(id)) throw new Error(`the run was not read: ${text}`)
      if (keep) result[name].push(took)
    }
    for (let number = 0; number < 500; number += 1) for (const one of credentials) await ask(one, false)
    for (let number = 0; number < requests; number += 1) {
      // Each kind is first, second and third equally often.
      for (let turn = 0; turn < credentials.length; turn += 1) {
        await ask(credentials[(number + turn) % credentials.length], true)
      }
    }
  } finally {
    await service.stop()
  }
  return result
}
