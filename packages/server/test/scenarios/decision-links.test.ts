// Decision links: what they show, that they decide once and as the person or the role they name, and when they end.
import type { AuditList, DecisionLink, RunSignal } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { environmentOf, Terminal } from '../support/cli.ts'
import { linkPath, linksOn, makeLink, sendForm } from '../support/decision-links.ts'
import { type Bench, eventually, outline, planned, startBench } from '../support/engine.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { addPerson, type Person, setRoles } from '../support/people.ts'

let bench: Bench
let ada: Person
let bob: Person
/** Somebody with the link and without a key. */
let browser: Caller
beforeAll(async () => {
  bench = await startBench(linksOn)
  browser = new Caller(bench.service.url, null)
  ada = await person({ person: 'ada', roles: ['finance'] })
  bob = await person({ person: 'bob', roles: ['finance'] })
  await person({ person: 'eve' })
})
afterAll(() => bench.stop())

const person = (wish: Parameters<typeof addPerson>[1]) =>
  addPerson({ url: bench.service.url, admin: bench.acme, database: bench.service.database }, wish)

async function asking(approval: object = { approvers: ['finance'] }): Promise<{ id: string; await_seq: number }> {
  const id = await bench.create(
    planned([{ id: 'pay', tool: 'calculator', input: { expression: '2+2 ' }, approval } as never]),
  )
  return { id, await_seq: await bench.waits(id) }
}
const gate = async (await_input: object) => {
  const id = await bench.create(planned([{ await_input } as never]))
  return { id, await_seq: await bench.waits(id) }
}
const linkFor = ({ id, await_seq }: { id: string; await_seq: number }, who = 'ada') =>
  linkPath(bench.acme, id, { await_seq, person: who })
const signalsOf = async (id: string) => (await bench.include(id, 'signals')) as unknown as RunSignal[]
const ends = async (id: string, end = 'succeeded') => expect(outline(await bench.ended(id)).at(-1)).toBe(end)

describe('a decision link', () => {
  test('says where it leads, for whom and until when', async () => {
    const { id, await_seq } = await asking()
    const reply = await makeLink(bench.acme, id, { await_seq, person: 'ada' })
    expect(reply.headers['cache-control']).toBe('no-store')
    const link = reply.json<DecisionLink>()
    expect(link).toMatchObject({ run_id: id, await_seq, person: 'ada' })
    expect(link.url).toMatch(/^https:\/\/agents\.example\.com\/decide\/[\w-]+\.[\w-]{43}$/)
    expect(Math.abs(Date.parse(link.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  test('shows the whole question, and decides nothing by being opened', async () => {
    const { id, await_seq } = await asking()
    const path = await linkFor({ id, await_seq })
    for (const method of ['GET', 'HEAD', 'GET']) {
      const reply = await browser.send({ method, path, headers: { 'sec-purpose': 'prefetch' } })
      expect(reply.status).toBe(200)
      if (method === 'GET')
        for (const text of ['calculator', '&quot;expression&quot;: &quot;2+2 &quot;', '<dd>ada</dd>', 'Approve'])
          expect(reply.text).toContain(text)
    }
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ seq: await_seq, decisions: [] })
  })

  test('shows its own end if the question is open longer', async () => {
    const { id, await_seq } = await asking()
    const made = await makeLink(bench.acme, id, { await_seq, person: 'ada', expires_in: 60 })
    const { url, expires_at } = made.json<DecisionLink>()
    const { text } = await browser.get(new URL(url).pathname)
    expect(text).toContain(`<dd>${expires_at.replace('T', ' ').replace(/\..*/, ' UTC')}</dd>`)
  })

  test('decides as the person, by link, and the audit log says who made it', async () => {
    const question = await asking()
    const path = await linkFor(question)
    const reply = await sendForm(browser, path, { answer: 'approve', reason: '' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.text).toContain('Your decision is recorded. You approved.')
    await ends(question.id)
    expect(await signalsOf(question.id)).toMatchObject([
      { action: 'approve', person: 'ada', roles: ['finance'], via: 'link' },
    ])
    const entries = await eventually(async () => {
      const found = (await bench.acme.get(`/v1/audit?target=${question.id}`)).json<AuditList>().entries
      return found.length === 2 ? found : undefined
    })
    const maker = bench.acme.key?.split(':')[0]
    expect(entries).toMatchObject([
      { action: 'run.signal', via: 'link', key_id: ada.keyId, details: { person: 'ada', link_made_by: maker } },
      { action: 'run.link', via: 'api', key_id: maker, details: { person: 'ada', await_seq: question.await_seq } },
    ])
  })

  test('rejects with a reason, or denies the call with one', async () => {
    const rejected = await asking()
    await sendForm(browser, await linkFor(rejected), { answer: 'reject', reason: 'Paid already' })
    await ends(rejected.id, 'failed signal_rejected')
    expect(await signalsOf(rejected.id)).toMatchObject([{ payload: { reason: 'Paid already' } }])
    const denied = await asking()
    const path = await linkFor(denied)
    const reply = await sendForm(browser, path, { answer: 'deny', reason: ' ' })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('say why the call is not to be made')])
    await sendForm(browser, path, { answer: 'deny', reason: 'No budget' })
    await bench.ended(denied.id)
    expect(await signalsOf(denied.id)).toMatchObject([{ action: 'submit_input', call: { deny: 'No budget' } }])
  })

  test('takes data, and shows what is wrong with it', async () => {
    const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
    const formed = await gate({ prompt: 'The price?', approval_schema: schema })
    const path = await linkFor(formed)
    for (const [data, problem] of [
      ['', 'needs an answer'],
      ['much', 'not valid JSON'],
      ['{"price":"much"}', 'payload does not match the approval_schema'],
    ] as const) {
      const refused = await sendForm(browser, path, { answer: 'approve', data })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(problem)])
    }
    await sendForm(browser, path, { answer: 'approve', data: '{"price":7}' })
    await ends(formed.id)
    expect(await signalsOf(formed.id)).toMatchObject([{ action: 'approve', payload: { price: 7 } }])
    const open = await gate({ prompt: 'Which colour?', input_kind: 'payload' })
    await sendForm(browser, await linkFor(open), { answer: 'submit', data: 'green & "blue"' })
    await ends(open.id)
    expect(await signalsOf(open.id)).toMatchObject([{ action: 'submit_input', payload: 'green & "blue"' }])
  })

  test('shows who has decided so far, and what they have changed', async () => {
    const sensitivity_tags = [{ path: '$.input.iban', classification: 'pii', redaction: 'mask' as const }]
    const input = { expression: '500' }
    const step = { id: 'pay', tool: 'calculator', input, approval: { approvers: ['finance'], approvals: 3 } }
    const more = { input: { iban: 'DE11-4711-0001' }, sensitivity_tags }
    const id = await bench.create(planned([step as never], [], more))
    const path = await linkFor({ id, await_seq: await bench.waits(id) })
    expect((await browser.get(path)).text).not.toContain('Decided so far')
    const edited = { action: 'submit_input', call: { arguments: { expression: '450' } } }
    expect((await bob.caller.post(`/v1/runs/${id}/signal`, edited)).status).toBe(200)
    const carl = await person({ person: 'carl', roles: ['finance'] })
    const approved = { action: 'approve', payload: { centre: '<b>7</b>', iban: 'DE11-4711-0001' } }
    expect((await carl.caller.post(`/v1/runs/${id}/signal`, approved)).status).toBe(200)
    const { text } = await browser.get(path)
    const shown = text.slice(text.indexOf('Decided so far'), text.indexOf('You decide as'))
    expect(shown).toContain('bob changed the arguments')
    expect(shown).toContain('&quot;expression&quot;: &quot;450&quot;')
    expect(shown).toContain('carl approved')
    expect(shown).toContain('&quot;centre&quot;: &quot;&lt;b&gt;7&lt;/b&gt;&quot;')
    expect(shown).toContain('To say the same as somebody who has changed them, sign in to the console.')
    expect(shown).toContain('&quot;iban&quot;: &quot;***&quot;')
    expect(text).not.toContain('DE11-4711-0001')
    await bench.command(id, 'cancel')
  })

  test('decides nothing about what is too large to be shown', async () => {
    const question = await asking()
    const { id } = question
    // As much as tools of the operator may take.
    await bench.service.database.run({
      text: `update runs set wait_content = jsonb_set(wait_content::jsonb, '{arguments}', to_jsonb(repeat('x', 210000)))::json
        where id = $1`,
      values: [fromWireId('run', id)],
    })
    const path = await linkFor(question)
    const words = 'This question is too large to be shown here. Sign in to the console to answer it.'
    expect((await browser.get(path)).text).toContain(words)
    for (const answer of ['approve', 'reject', 'deny']) {
      const refused = await sendForm(browser, path, { answer })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)])
    }
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ seq: question.await_seq, decisions: [] })
  })

  test('counts as one of several people, once', async () => {
    const question = await asking({ approvers: ['finance'], approvals: 2 })
    const [first, again] = [await linkFor(question), await linkFor(question)]
    expect((await sendForm(browser, first, { answer: 'approve' })).text).toContain('Others have to decide, too.')
    for (const path of [first, again])
      expect((await sendForm(browser, path, { answer: 'approve' })).text).toContain('This link was used: you approved.')
    expect(await bench.include(question.id, 'awaiting_input')).toMatchObject({
      decisions: [{ person: 'ada', via: 'link' }],
    })
    await bob.caller.post(`/v1/runs/${question.id}/signal`, { action: 'approve' })
    await ends(question.id)
    expect(await signalsOf(question.id)).toMatchObject([
      { person: 'ada', counted: true, via: 'link' },
      { person: 'bob', counted: false, via: 'api' },
    ])
    const terminal = new Terminal(environmentOf({ url: bench.service.url, key: bench.acme.key ?? '' }), {
      isTTY: false,
    })
    expect(await terminal.run('get', question.id)).toBe(0)
    expect(terminal.output).toMatch(/Approved by ada \(.*, finance\) by link, and others have to decide, too\./)
    expect(terminal.output).toMatch(/Approved by bob \(.*, finance\)\. /)
  })
})

describe('a link for a role', () => {
  const roleLink = ({ id, await_seq }: { id: string; await_seq: number }, role = 'finance') =>
    linkPath(bench.acme, id, { await_seq, role })
  const maker = () => bench.acme.key?.split(':')[0]

  test('decides as the role and names no person, and the audit log says who made it', async () => {
    const question = await asking()
    const reply = await makeLink(bench.acme, question.id, { await_seq: question.await_seq, role: 'finance' })
    expect(reply.json<DecisionLink>()).toMatchObject({ person: null, role: 'finance' })
    const path = new URL(reply.json<DecisionLink>().url).pathname
    expect((await browser.get(path)).text).toContain('<dd>somebody with the role finance</dd>')
    const sent = await sendForm(browser, path, { answer: 'approve' })
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('You approved.')])
    await ends(question.id)
    expect(await signalsOf(question.id)).toMatchObject([
      { action: 'approve', key_id: maker(), person: null, roles: ['finance'], via: 'link' },
    ])
    const entries = await eventually(async () => {
      const found = (await bench.acme.get(`/v1/audit?target=${question.id}`)).json<AuditList>().entries
      return found.length === 2 ? found : undefined
    })
    expect(entries).toMatchObject([
      { action: 'run.signal', via: 'link', details: { roles: ['finance'], link_made_by: maker() } },
      { action: 'run.link', details: { role: 'finance', await_seq: question.await_seq } },
    ])
    expect(entries.map(({ details }) => details?.person ?? null)).toEqual([null, null])
  })

  test('takes one answer with all others for the role, and tells it to who opens them later', async () => {
    const question = await asking()
    const [first, again, ofAda] = [await roleLink(question), await roleLink(question), await linkFor(question)]
    await sendForm(browser, first, { answer: 'deny', reason: 'No budget' })
    await bench.ended(question.id)
    const reply = await sendForm(browser, again, { answer: 'approve' })
    expect([reply.status, reply.text]).toEqual([
      410,
      expect.stringContaining('This link was used: finance said that the call is not to be made.'),
    ])
    expect((await browser.get(ofAda)).text).toContain('otherwise: finance said that the call is not to be made.')
    expect(await signalsOf(question.id)).toHaveLength(1)
  })

  test('of an escalation decides after its time', async () => {
    const escalates = { approvers: ['finance'], escalate_to: ['board'], escalate_after_seconds: 3_600 }
    const question = await asking(escalates)
    const path = await roleLink(question, 'board')
    const early = await sendForm(browser, path, { answer: 'approve' })
    expect([early.status, early.text]).toEqual([403, expect.stringContaining('You may not decide')])
    await bench.service.database.run({
      text: "update runs set created_at = created_at - interval '2 hours', updated_at = updated_at - interval '2 hours' where id = $1",
      values: [fromWireId('run', question.id)],
    })
    expect((await sendForm(browser, path, { answer: 'approve' })).status).toBe(200)
    await ends(question.id)
  })

  test.each([
    ['a role that the question does not ask for', { approvers: ['finance'] }, 'sales', 403, 'APPROVER_REQUIRED'],
    ['a question for everyone', 'required', 'finance', 400, 'LINK_PAYLOAD_INVALID'],
    ['several people', { approvers: ['finance'], approvals: 2 }, 'finance', 400, 'LINK_PAYLOAD_INVALID'],
    ['somebody else', { approvers: ['finance'], not_requester: true }, 'finance', 400, 'LINK_PAYLOAD_INVALID'],
  ])('is not made for %s', async (_, approval, role, status, reason) => {
    const { id, await_seq } = await asking(approval as object)
    expectRefusal(await makeLink(bench.acme, id, { await_seq, role }), status, reason)
  })

  test.each([
    ['both a person and a role', { person: 'ada', role: 'finance' }],
    ['neither', {}],
  ])('or a person, not %s', async (__, who) => {
    const { id, await_seq } = await asking()
    const reply = await makeLink(bench.acme, id, { await_seq, ...who })
    expectRefusal(reply, 400, 'LINK_PAYLOAD_INVALID')
    expect(reply.text).toContain('needs either a person or a role')
  })

  test('ends with the key that made it', async () => {
    const other = await person({ scopes: ['runs:read', 'links:create'] })
    const { id, await_seq } = await asking()
    const path = await linkPath(other.caller, id, { await_seq, role: 'finance' })
    expect((await browser.get(path)).status).toBe(200)
    await bench.acme.send({ method: 'DELETE', path: `/v1/keys/${other.keyId}` })
    expect((await sendForm(browser, path, { answer: 'approve' })).status).toBe(410)
  })

  test('is made by the command, which wants one of both', async () => {
    const { id } = await asking()
    const environment = environmentOf({ url: bench.service.url, key: bench.acme.key ?? '' })
    const terminal = new Terminal(environment, { isTTY: false })
    expect(await terminal.run('link', id, '--role', 'finance')).toBe(0)
    const [url = ''] = /https:\/\/agents\.example\.com\/decide\/\S+/.exec(terminal.output) ?? []
    expect((await browser.get(new URL(url).pathname)).text).toContain('somebody with the role finance')
    await expect(new Terminal(environment, { isTTY: false }).run('link', id)).rejects.toThrow(
      'Use either --person or --role.',
    )
  })
})

test('the person of a link has the form of that of a key', async () => {
  const { id, await_seq } = await asking()
  const reply = await makeLink(bench.acme, id, { await_seq, person: 'ada ' })
  expectRefusal(reply, 400, 'LINK_PAYLOAD_INVALID')
  expect(reply.text).toContain('person must not begin or end with white space')
})

describe('who may not decide', () => {
  test('gets no link: without a key, without the role', async () => {
    const { id, await_seq } = await asking()
    expectRefusal(await makeLink(bench.acme, id, { await_seq, person: 'nobody' }), 400, 'LINK_PAYLOAD_INVALID')
    expectRefusal(await makeLink(bench.acme, id, { await_seq, person: 'eve' }), 403, 'APPROVER_REQUIRED')
  })

  test('is refused with a link: the role was taken away, or the requester is excluded', async () => {
    const carol = await person({ person: 'carol', roles: ['finance'], scopes: ['runs:read', 'runs:write'] })
    const lost = await asking()
    const path = await linkFor(lost, 'carol')
    await setRoles(bench.service.database, carol.keyId, [])
    const refused = await sendForm(browser, path, { answer: 'approve' })
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('one of the roles finance')])
    await setRoles(bench.service.database, carol.keyId, ['finance'])
    const created = await carol.caller.create(
      planned([{ await_input: { approvers: ['finance'], not_requester: true } } as never]),
    )
    const { id } = created.json<{ id: string }>()
    const own = await linkFor({ id, await_seq: await bench.waits(id) }, 'carol')
    const reply = await sendForm(browser, own, { answer: 'approve' })
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('Who created the run may not decide')])
  })
})

describe('a link that cannot decide any more says why', () => {
  const opened = async (path: string) => {
    const [shown, sent] = [await browser.get(path), await sendForm(browser, path, { answer: 'approve' })]
    expect(sent.text).toBe(shown.text)
    return [shown.status, sent.status, /<p>(.*)<\/p>/.exec(shown.text)?.[1]]
  }

  test('used, answered otherwise, over', async () => {
    const used = await asking()
    const path = await linkFor(used)
    await sendForm(browser, path, { answer: 'approve' })
    expect(await opened(path)).toEqual([410, 410, 'This link was used: you approved.'])
    const other = await asking()
    const late = await linkFor(other)
    await bob.caller.post(`/v1/runs/${other.id}/signal`, { action: 'reject' })
    expect(await opened(late)).toEqual([410, 410, 'This question was answered otherwise: bob rejected.'])
    const over = await asking()
    const left = await linkFor(over)
    await bench.command(over.id, 'cancel')
    expect(await opened(left)).toEqual([410, 410, expect.stringContaining('is not open any more')])
  })

  test('expired, and revoked with the key of the maker, its secret, or the key of the person', async () => {
    const question = await asking()
    const { id, await_seq } = question
    const brief = await linkPath(bench.acme, id, { await_seq, person: 'ada', expires_in: 1 })
    const expired = await eventually(async () => {
      const reply = await browser.get(brief)
      return reply.status === 410 ? reply : undefined
    })
    expect(expired.text).toContain('This link has expired.')
    const scopes = ['runs:read', 'links:create']
    const [maker, rotated] = [await person({ scopes }), await person({ scopes })]
    const dora = await person({ person: 'dora', roles: ['finance'] })
    const paths = [
      await linkPath(maker.caller, id, { await_seq, person: 'ada' }),
      await linkPath(rotated.caller, id, { await_seq, person: 'ada' }),
      await linkPath(bench.acme, id, { await_seq, person: 'dora' }),
    ]
    for (const path of paths) expect((await browser.get(path)).status).toBe(200)
    for (const { keyId } of [maker, dora]) await bench.acme.send({ method: 'DELETE', path: `/v1/keys/${keyId}` })
    await bench.acme.post(`/v1/keys/${rotated.keyId}/rotate`, { overlap_seconds: 0 })
    for (const path of paths) expect(await opened(path)).toEqual([410, 410, expect.stringContaining('was revoked')])
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ seq: await_seq, decisions: [] })
  })
})
