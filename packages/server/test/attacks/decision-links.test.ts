// Attacks on decision links: forged and changed ones, those of other runs and customers, many answers at once, answers
// from other sites, texts of a run that are markup, and links in logs.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LinkClaims, LinkForm } from '../../src/access/decision-links/link-form.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { keepPerson } from '../../src/store/keys/people.ts'
import { linkPath, linksOn, makeLink, sendForm } from '../support/decision-links.ts'
import { type Bench, outline, planned, startBench } from '../support/engine.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { addPerson } from '../support/people.ts'

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
let bench: Bench
let browser: Caller
beforeAll(async () => {
  bench = await startBench({ ...linksOn, RUNWRIGHT_LOG_LEVEL: 'trace' }, { secrets })
  browser = new Caller(bench.service.url, null)
  for (const [admin, person] of [
    [bench.acme, 'ada'],
    [bench.other, 'ada'],
  ] as const)
    await addPerson({ url: bench.service.url, admin, database: bench.service.database }, { person })
})
afterAll(() => bench.stop())

async function asking(caller = bench.acme, prompt = 'Go on?'): Promise<{ id: string; await_seq: number }> {
  const id = await bench.create(planned([{ await_input: { prompt } } as never]), caller)
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some(({ type }) => type === 'run.awaiting_input'), 20_000)
  stream.close()
  const { awaiting_input } = (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<{
    awaiting_input: { seq: number }
  }>()
  return { id, await_seq: awaiting_input.seq }
}
const stillWaits = async (id: string) => expect(await bench.include(id, 'awaiting_input')).not.toBeNull()
const approve = { answer: 'approve' }

describe('a link', () => {
  test('that was changed anywhere, cut or invented decides nothing and reads nothing', async () => {
    const { id, await_seq } = await asking()
    const path = await linkPath(bench.acme, id, { await_seq, person: 'ada' })
    const [payload = '', signature = ''] = path.slice('/decide/'.length).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
    const changed = claims.map((claim, at) => {
      const other = claims.with(at, typeof claim === 'number' ? claim + 1 : `${claim}x`)
      return `${Buffer.from(JSON.stringify(other)).toString('base64url')}.${signature}`
    })
    const foreign = new LinkForm(randomBytes(32)).write(
      new LinkForm(secrets.keyPepper).read(`${payload}.${signature}`) as never,
    )
    const cut = [`${payload}.${signature.slice(1)}`, payload, `.${signature}`, `${payload}.${signature}A`, 'x', '%00']
    for (const link of [...changed, foreign, ...cut, `${payload}.${'A'.repeat(43)}`]) {
      const replies = [await browser.get(`/decide/${link}`), await sendForm(browser, `/decide/${link}`, approve)]
      for (const reply of replies) expect(reply.status, link).toBe(404)
    }
    await stillWaits(id)
  })

  test('is for its wait: not for the next one of the run, and not for another run', async () => {
    const id = await bench.create(planned([{ await_input: {} }, { await_input: {} }] as never))
    const await_seq = await bench.waits(id)
    const path = await linkPath(bench.acme, id, { await_seq, person: 'ada' })
    await bench.signal(id, 'approve')
    await bench.waits(id, 2)
    expect((await sendForm(browser, path, approve)).status).toBe(410)
    await stillWaits(id)
    expectRefusal(await makeLink(bench.acme, id, { await_seq, person: 'ada' }), 409, 'RUN_NOT_AWAITING_INPUT')
  })

  test('is made only with its scope, for own runs, by a key and not by a token', async () => {
    const { id, await_seq } = await asking()
    const body = { await_seq, person: 'ada' }
    expectRefusal(await makeLink(bench.other, id, body), 404, 'RUN_NOT_FOUND')
    const people = { url: bench.service.url, admin: bench.acme, database: bench.service.database }
    const scopes = ['runs:read', 'runs:write', 'keys:admin']
    const without = await addPerson(people, { scopes })
    expectRefusal(await makeLink(without.caller, id, body), 403, 'SCOPE_DENIED')
    // It cannot give itself what it lacks.
    expectRefusal(await without.caller.post('/v1/keys', { scopes: ['links:create'] }), 403, 'SCOPE_DENIED')
    const token = await bench.acme.post('/v1/tokens', { scopes: ['links:create'], expires_in: 60 })
    expectRefusal(token, 400, 'TOKEN_PAYLOAD_INVALID')
  })

  test('satisfies no question that asks for a recent sign-in, neither a new one nor one signed with the keys', async () => {
    const plain = await asking()
    const path = await linkPath(bench.acme, plain.id, { await_seq: plain.await_seq, person: 'ada' })
    const approval = { reauth: true }
    const step = { id: 'pay', tool: 'calculator', input: { expression: '2+2' }, approval }
    const runId = await bench.create(planned([step as never]))
    const awaitSeq = await bench.waits(runId)
    const refused = await makeLink(bench.acme, runId, { await_seq: awaitSeq, person: 'ada' })
    expectRefusal(refused, 403, 'REAUTH_REQUIRED')
    expect(refused.text).toContain('no link can answer it')
    const form = new LinkForm(secrets.keyPepper)
    const claims = form.read(path.slice('/decide/'.length)) as LinkClaims
    const forged = form.write({ ...claims, runId: fromWireId('run', runId) as string, awaitSeq })
    for (const answer of ['approve', 'reject']) {
      const reply = await sendForm(browser, `/decide/${forged}`, { answer })
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('decision links cannot answer it')])
    }
    await stillWaits(runId)
  })

  test('is not made for a person who only signs in: their groups may have changed since', async () => {
    const identity = { customerId: 'acme', issuer: 'https://login.example.com', subject: 'gone', askedAt: new Date() }
    const grant = { person: 'gone', name: null, scopes: ['runs:signal' as const], roles: [] }
    await keepPerson(
      bench.service.database,
      { ...identity, ...grant },
      { keyId: 'key_gone', secretHash: randomBytes(32) },
    )
    const { id, await_seq } = await asking()
    expectRefusal(await makeLink(bench.acme, id, { await_seq, person: 'gone' }), 400, 'LINK_PAYLOAD_INVALID')
  })

  test('for a role gives the key that made it nothing, and is no person of that name', async () => {
    const id = await bench.create(planned([{ await_input: { approvers: ['finance'] } } as never]))
    const await_seq = await bench.waits(id)
    const path = await linkPath(bench.acme, id, { await_seq, role: 'finance' })
    expectRefusal(await bench.signal(id, 'approve'), 403, 'APPROVER_REQUIRED')
    const form = new LinkForm(secrets.keyPepper)
    const claims = form.read(path.slice('/decide/'.length)) as LinkClaims
    const asPerson = form.write({ ...claims, decider: { kind: 'person', person: 'finance', keyId: claims.makerKeyId } })
    expect((await sendForm(browser, `/decide/${asPerson}`, approve)).status).toBe(410)
    await stillWaits(id)
  })

  test('of a person of the same name at another customer decides there only', async () => {
    const [mine, theirs] = [await asking(), await asking(bench.other)]
    const path = await linkPath(bench.other, theirs.id, { await_seq: theirs.await_seq, person: 'ada' })
    expect((await sendForm(browser, path, approve)).status).toBe(200)
    await stillWaits(mine.id)
  })

  test.each([
    ['a person', {}, { person: 'ada' }],
    ['a role', { approvers: ['finance'] }, { role: 'finance' }],
  ])('for %s that is sent 50 times at once decides once, whatever it says', async (_, rules, who) => {
    for (const answers of [['approve'], ['approve', 'reject']]) {
      const id = await bench.create(planned([{ await_input: rules } as never]))
      const path = await linkPath(bench.acme, id, { await_seq: await bench.waits(id), ...who })
      const sent = Array.from({ length: 50 }, (_, at) => answers[at % answers.length] ?? '')
      const replies = await Promise.all(sent.map((answer) => sendForm(browser, path, { answer })))
      const recorded = new Set(replies.filter(({ status }) => status === 200).map(({ text }) => text))
      expect(recorded.size).toBe(1)
      expect(replies.filter(({ status }) => status !== 200 && status !== 410)).toEqual([])
      await bench.ended(id)
      expect(await bench.include(id, 'signals')).toHaveLength(1)
      expect(outline(await bench.events(id)).filter((line) => line.startsWith('signal'))).toHaveLength(1)
    }
  })
})

describe('the page', () => {
  test('runs nothing, loads nothing, is not framed or kept, and sends no referrer', async () => {
    const { id, await_seq } = await asking(bench.acme, '<script>alert(1)</script><form action="https://evil.example">')
    const reply = await browser.get(await linkPath(bench.acme, id, { await_seq, person: 'ada' }))
    expect(reply.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(reply.text).not.toMatch(/<script|<form [^m]|src=/)
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      ),
    })
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  test('takes no answer from another site, and none that is no form', async () => {
    const { id, await_seq } = await asking()
    const path = await linkPath(bench.acme, id, { await_seq, person: 'ada' })
    for (const site of ['cross-site', 'same-site'])
      expect((await sendForm(browser, path, approve, { 'sec-fetch-site': site })).status).toBe(403)
    expect((await browser.post(path, approve)).status).toBe(415)
    expect((await sendForm(browser, path, { answer: 'x'.repeat(1_100_000) })).status).toBe(413)
    for (const answer of ['', 'submit', 'anything'])
      expect((await sendForm(browser, path, { answer })).status).toBe(400)
    expect((await browser.send({ method: 'PUT', path })).status).toBe(404)
    await stillWaits(id)
    expect((await sendForm(browser, path, approve, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test('leaves no link in the log or in the database', async () => {
    const { id, await_seq } = await asking()
    const path = await linkPath(bench.acme, id, { await_seq, person: 'ada' })
    await browser.get(path)
    await sendForm(browser, path, { answer: 'no' })
    await sendForm(browser, path, approve)
    const logged = bench.service.log.all.join('\n')
    expect(logged).toContain('/decide/:link')
    expect(logged).not.toContain(path.split('.')[1])
  })
})

test('without the setting no link is made, a page says so, and the setting needs the public URL', async () => {
  const off = await startBench()
  try {
    expectRefusal(await makeLink(off.acme, 'run_1', { await_seq: 1, person: 'ada' }), 403, 'DECISION_LINKS_OFF')
    const browser = new Caller(off.service.url, null)
    for (const reply of [await browser.get('/decide/x.y'), await sendForm(browser, '/decide/x.y', approve)])
      expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([
        404,
        'text/html; charset=utf-8',
        expect.stringContaining('Decision links are switched off at this service.'),
      ])
  } finally {
    await off.stop()
  }
  await expect(startBench({ RUNWRIGHT_DECISION_LINKS: 'on' })).rejects.toThrow('needs RUNWRIGHT_PUBLIC_URL')
})
