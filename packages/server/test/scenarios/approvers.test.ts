// Who may decide about a question: roles, several people, not the requester, escalation, and what readers see of it.
import type { AuditList, RunDetail, RunList, RunSignal } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'
import { addPerson, type Person, setRoles } from '../support/people.ts'
import { withToken } from '../support/tokens.ts'

let bench: Bench
let ada: Person
let bob: Person
let eve: Person
let machine: Person
beforeAll(async () => {
  bench = await startBench()
  ada = await person({ person: 'ada', roles: ['finance'] })
  bob = await person({ person: 'bob', roles: ['finance', 'board'] })
  eve = await person({ person: 'eve' })
  machine = await person({ person: null, roles: ['finance'] })
})
afterAll(() => bench.stop())

const person = (wish: Parameters<typeof addPerson>[1]) =>
  addPerson({ url: bench.service.url, admin: bench.acme, database: bench.service.database }, wish)

const signal = (id: string, by: Person, body: object = { action: 'approve' }) =>
  by.caller.post(`/v1/runs/${id}/signal`, body)
const counts = async (id: string, by: Person, body?: object) => {
  const reply = await signal(id, by, body)
  expect(reply.status, reply.text).toBe(200)
}
const refused = async (id: string, by: Person, words: string, body?: object) => {
  const reply = await signal(id, by, body)
  expectRefusal(reply, 403, 'APPROVER_REQUIRED')
  expect(reply.text).toContain(words)
}
const waitOf = async (id: string) =>
  (await bench.include(id, 'awaiting_input')) as unknown as NonNullable<RunDetail['awaiting_input']>
const signalsOf = async (id: string) => (await bench.include(id, 'signals')) as unknown as RunSignal[]

const entriesOf = (id: string, count: number) =>
  eventually(async () => {
    const found = (await bench.acme.get(`/v1/audit?target=${id}`)).json<AuditList>().entries
    return found.length === count ? found : undefined
  })

async function asking(approval: object, by = bench.acme): Promise<string> {
  const step = { id: 'pay', tool: 'calculator', input: { expression: '2+2' }, approval }
  const reply = await by.post('/v1/runs', planned([step as never]), { 'idempotency-key': crypto.randomUUID() })
  expect(reply.status, reply.text).toBe(201)
  const { id } = reply.json<{ id: string }>()
  await bench.waits(id)
  return id
}
const succeeds = async (id: string) => expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
const stillWaits = async (id: string) => expect((await waitOf(id)).seq).toBeGreaterThan(0)

describe('a question with approvers', () => {
  test('is answered only by who has one of the roles', async () => {
    const id = await asking({ approvers: ['finance', 'audit'] })
    expect(await waitOf(id)).toMatchObject({ approvers: ['finance', 'audit'], approvals: 1, decisions: [] })
    for (const body of [{ action: 'approve' }, { action: 'reject' }, { action: 'submit_input', payload: 1 }])
      await refused(id, eve, 'one of the roles finance, audit', body)
    await stillWaits(id)
    await counts(id, ada)
    await succeeds(id)
    expect(await signalsOf(id)).toMatchObject([{ person: 'ada', roles: ['finance'], counted: false }])
  })

  test('of a gate, and of the judge of a script', async () => {
    for (const body of [
      planned([{ await_input: { approvers: ['finance'] } }]),
      scripted([thenStep('await_input', { await: { approvers: ['finance'] } })]),
    ]) {
      const id = await bench.create(body)
      await bench.waits(id)
      await refused(id, eve, 'finance')
      await counts(id, ada)
      await succeeds(id)
    }
  })

  test('of the rules of a run, which a policy without approvers leaves alone', async () => {
    const tool_policy = { calculator: { rule: 'ask', approvers: ['finance'] } }
    const tools = [{ name: 'calculator', input: { expression: '1+1' } }]
    const id = await bench.create(scripted([{ tools }], { metadata: { tool_policy } }))
    await bench.waits(id)
    expect(await waitOf(id)).toMatchObject({ tool: 'calculator', approvers: ['finance'] })
    await refused(id, eve, 'finance')
    await counts(id, ada)
    await succeeds(id)
  })

  test('decides by the roles of the moment, not by those that a process remembers', async () => {
    const carol = await person({ person: 'carol', roles: ['finance'] })
    const id = await asking({ approvers: ['finance'] })
    await carol.caller.get(`/v1/runs/${id}`)
    await setRoles(bench.service.database, carol.keyId, [])
    await refused(id, carol, 'finance')
    await setRoles(bench.service.database, carol.keyId, ['finance'])
    await counts(id, carol)
    await succeeds(id)
  })
})

describe('two approvals', () => {
  const four = { approvers: ['finance'], approvals: 2 }

  test('are those of two people; readers see the first one', async () => {
    const id = await asking(four)
    await counts(id, ada)
    await counts(id, ada)
    expect(await waitOf(id)).toMatchObject({
      approvals: 2,
      decisions: [{ action: 'approve', key_id: ada.keyId, person: 'ada', roles: ['finance'], call: null }],
    })
    await counts(id, bob)
    await succeeds(id)
    expect(await signalsOf(id)).toMatchObject([
      { person: 'ada', counted: true },
      { person: 'ada', counted: true },
      { person: 'bob', counted: false },
    ])
    const entries = await entriesOf(id, 3)
    expect(entries.map(({ details }) => details)).toMatchObject([
      { person: 'bob', roles: ['finance', 'board'], given: 2, needed: 2 },
      { person: 'ada', given: 1, needed: 2 },
      { person: 'ada', given: 1, needed: 2 },
    ])
  })

  test('of one person with two keys are one; a key without a person counts for itself', async () => {
    const id = await asking(four)
    const other = await person({ person: 'ada', roles: ['finance'] })
    await counts(id, ada)
    await counts(id, other)
    await stillWaits(id)
    await counts(id, machine)
    await succeeds(id)
  })

  test('count together only if they say the same, and who answers again replaces the answer', async () => {
    const id = await asking(four)
    const edit = { action: 'submit_input', call: { arguments: { expression: '3+3' } } }
    await counts(id, ada, edit)
    await counts(id, bob)
    expect((await waitOf(id)).decisions.map(({ person, call }) => [person, call])).toEqual([
      ['ada', edit.call],
      ['bob', null],
    ])
    await counts(id, bob, edit)
    await succeeds(id)
    expect(await bench.include(id, 'output')).toEqual({ result: 6 })
  })

  test('count together if they say the same about several calls in another form', async () => {
    const tool_policy = { calculator: { rule: 'ask', approvals: 2 } }
    const tools = ['1+1', '2+2'].map((expression) => ({ name: 'calculator', input: { expression } }))
    const id = await bench.create(scripted([{ tools }], { metadata: { tool_policy } }))
    await bench.waits(id)
    const [first, second] = ((await waitOf(id)).calls ?? []).map(({ call_id }) => call_id)
    const no = { call_id: second, deny: 'No' }
    await counts(id, ada, { action: 'submit_input', calls: [no, { call_id: first, approve: true }] })
    await counts(id, bob, { action: 'submit_input', calls: [{ approve: true, call_id: first }, no] })
    await succeeds(id)
    expect(
      ofType(await bench.ended(id), 'run.tool.invoked')
        .map(({ tool_outcome }) => tool_outcome)
        .sort(),
    ).toEqual(['policy_denied', 'succeeded'])
  })

  test('count together if one lists the only call and the other does not', async () => {
    const id = await asking(four)
    const { tool_call_id: call_id } = await waitOf(id)
    await counts(id, ada, { action: 'submit_input', calls: [{ call_id, approve: true }] })
    await counts(id, bob)
    await succeeds(id)
  })

  test.each([
    ['reject', { action: 'reject' }, 'failed signal_rejected'],
    ['a denial', { action: 'submit_input', call: { deny: 'No' } }, 'failed tool_failed'],
  ])('are not needed for a no: one %s is enough', async (_, body, end) => {
    const id = await asking(four)
    await counts(id, ada)
    await counts(id, bob, body)
    expect(outline(await bench.ended(id)).at(-1)).toBe(end)
  })

  test('are not reached with one of who lost the role, or whose key was revoked, in between', async () => {
    for (const end of ['role', 'key']) {
      const carol = await person({ person: `carol-${end}`, roles: ['finance'] })
      const id = await asking(four)
      await counts(id, carol)
      if (end === 'role') await setRoles(bench.service.database, carol.keyId, [])
      else await bench.acme.send({ method: 'DELETE', path: `/v1/keys/${carol.keyId}` })
      await counts(id, ada)
      await stillWaits(id)
      await counts(id, bob)
      await succeeds(id)
    }
  })

  test('that are repeated under their key count once, and conflict with another answer', async () => {
    const id = await asking(four)
    const first = { action: 'approve', idempotency_key: 'once' }
    await counts(id, ada, first)
    await counts(id, ada, first)
    expect(await signalsOf(id)).toHaveLength(1)
    expectRefusal(await signal(id, bob, { ...first, action: 'reject' }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    await counts(id, bob)
    await succeeds(id)
    await counts(id, ada, first)
  })

  test('under the key of somebody else are refused, and count under a key of one’s own', async () => {
    const id = await asking(four)
    const first = { action: 'approve', idempotency_key: 'once' }
    const decided = async () => (await waitOf(id)).decisions.map(({ person }) => person)
    await counts(id, ada, first)
    for (const by of [bob, machine]) await isKeyOfAnother(id, by, first)
    await refused(id, eve, 'one of the roles finance', first)
    await counts(id, await person({ person: 'ada', roles: ['finance'] }), first)
    expect(await decided()).toEqual(['ada'])
    await counts(id, bob, { ...first, idempotency_key: 'of bob' })
    await succeeds(id)
    await isKeyOfAnother(id, bob, first)
    await counts(id, ada, first)
  })
})

const isKeyOfAnother = async (id: string, by: Person, body: object) => {
  const reply = await signal(id, by, body)
  expectRefusal(reply, 409, 'IDEMPOTENCY_KEY_CONFLICT')
  expect(reply.text).toContain('somebody else')
}

describe('the idempotency key of an answer', () => {
  const body = { action: 'approve', idempotency_key: 'shared' }

  test('to a question that one person decides is theirs alone, also for the next question', async () => {
    const gate = { await_input: { approvers: ['finance'] } }
    const id = await bench.create(planned([gate, gate]))
    await bench.waits(id)
    await counts(id, ada, body)
    await bench.waits(id, 2)
    await isKeyOfAnother(id, bob, body)
    await refused(id, eve, 'finance', body)
    await counts(id, ada, body)
    await stillWaits(id)
    await counts(id, bob)
    await succeeds(id)
  })

  test('to a question for everyone is answered as before, whoever repeats it', async () => {
    const id = await bench.create(planned([{ await_input: {} }, { await_input: {} }]))
    await bench.waits(id)
    await counts(id, ada, body)
    await counts(id, eve, body)
    await bench.waits(id, 2)
    await counts(id, eve, body)
    expect(await signalsOf(id)).toMatchObject([{ person: 'ada' }])
    await counts(id, eve)
    await succeeds(id)
  })

  test('that was used before a question with approvers does not pass for an answer to it', async () => {
    const id = await bench.create(planned([{ await_input: {} }, { await_input: { approvers: ['finance'] } }]))
    await bench.waits(id)
    await counts(id, ada, body)
    await bench.waits(id, 2)
    await isKeyOfAnother(id, bob, body)
    await refused(id, eve, 'finance', body)
    await counts(id, bob)
    await succeeds(id)
  })
})

describe('the requester', () => {
  const scopes = ['runs:read', 'runs:write']

  test('may not decide with not_requester, under any key of the same person', async () => {
    const asker = await person({ person: 'ann', roles: ['finance'], scopes })
    const second = await person({ person: 'ann', roles: ['finance'] })
    const id = await asking({ approvers: ['finance'], not_requester: true }, asker.caller)
    for (const by of [asker, second]) await refused(id, by, 'Who created the run')
    await counts(id, ada)
    await succeeds(id)
  })

  test('is who has written the schedule of the run', async () => {
    const ann = await person({ person: 'ann', roles: ['finance'], scopes })
    const second = await person({ person: 'ann', roles: ['finance'] })
    const approval = { approvers: ['finance'], not_requester: true }
    const step = { id: 'pay', tool: 'calculator', input: { expression: '2+2' }, approval }
    const made = await ann.caller.post('/v1/schedules', { cron: '0 0 1 1 *', run: planned([step as never]) })
    expect(made.status, made.text).toBe(201)
    await bench.service.database.run({
      text: "update schedules set next_at = date_trunc('second', now()), due_at = now()",
    })
    const id = await eventually(async () => {
      const { runs } = (await bench.acme.get('/v1/runs?awaiting_input=true')).json<RunList>()
      return runs[0]?.id
    })
    for (const by of [ann, second]) await refused(id, by, 'Who created the run')
    await counts(id, ada)
    await succeeds(id)
  })

  test('may otherwise', async () => {
    const asker = await person({ person: 'ann', roles: ['finance'], scopes })
    const id = await asking({ approvers: ['finance'] }, asker.caller)
    await counts(id, asker)
    await succeeds(id)
  })
})

test('after the time of an escalation others may decide, too', async () => {
  const rules = { approvers: ['nobody'], escalate_after_seconds: 3_600, escalate_to: ['board'] }
  const id = await asking(rules)
  const wait = await waitOf(id)
  expect(wait).toMatchObject({ escalate_to: ['board'] })
  expect(Date.parse(wait.escalates_at ?? '') - Date.parse(wait.since)).toBe(3_600_000)
  await refused(id, bob, 'After 3600 seconds, board may decide, too.')
  expect(await assigned(bob)).not.toContain(id)
  await bench.service.database.run({
    text: "update runs set wait = replace(wait::text, '3600', '0')::json where wait->'rules'->>'escalate_after_seconds' = '3600'",
  })
  expect(await assigned(bob)).toContain(id)
  expect(await assigned(ada)).not.toContain(id)
  await refused(id, ada, 'nobody')
  await counts(id, bob)
  await succeeds(id)
})

describe('an escalation that would come only after the question has ended', () => {
  const rules = (seconds: number) => ({
    approvers: ['nobody'],
    escalate_after_seconds: seconds,
    escalate_to: ['board'],
  })
  const body = (seconds: number) => ({ ...planned([{ await_input: rules(seconds) }]), run_class: 'short' })

  test('is refused in a plan and in the rules of a run', async () => {
    const inPlan = await bench.acme.create(body(300))
    expectRefusal(inPlan, 400, 'INPUT_PLAN_INVALID')
    expect(inPlan.text).toContain('escalate_after_seconds is 300, but a run of class short waits 300 seconds')
    const tool_policy = { calculator: { rule: 'ask', ...rules(3_600) } }
    const inRules = await bench.acme.create({ input: {}, metadata: { tool_policy }, run_class: 'short' })
    expectRefusal(inRules, 400, 'INPUT_PAYLOAD_INVALID')
    expect(inRules.text).toContain('metadata.tool_policy, \\"calculator\\": escalate_after_seconds is 3600')
    for (const accepted of [body(299), { ...body(300), run_class: 'default' }]) {
      const id = await bench.create(accepted)
      await bench.waits(id)
      expect((await waitOf(id)).escalates_at).not.toBeNull()
      await bench.command(id, 'cancel')
    }
  })

  test('is no reason to refuse what is no number: such a rule cannot be read, and denies its tool', async () => {
    const tool_policy = { calculator: { rule: 'ask', ...rules(0), escalate_after_seconds: '9'.repeat(10_000) } }
    const reply = await bench.acme.create({ input: {}, metadata: { tool_policy }, run_class: 'short' })
    expect(reply.status, reply.text).toBe(201)
  })

  test('is no promise where it is known only later', async () => {
    const script = scripted([thenStep('await_input', { await: rules(3_600) })])
    const id = await bench.create({ ...script, run_class: 'short' })
    await bench.waits(id)
    expect(await waitOf(id)).toMatchObject({ escalate_to: ['board'], escalates_at: null })
    const reply = await signal(id, bob)
    expectRefusal(reply, 403, 'APPROVER_REQUIRED')
    expect(reply.text).not.toContain('may decide, too')
    await bench.command(id, 'cancel')
  })
})

const assigned = async ({ caller }: Pick<Person, 'caller'>) =>
  (await caller.get('/v1/runs?awaiting_input=true&assigned=me')).json<RunList>().runs.map(({ id }) => id)

test('an answer with a token is told from one with its key', async () => {
  const id = await bench.create(planned([{ await_input: {} }]))
  await bench.waits(id)
  const caller = await withToken(bench.acme, { scopes: ['runs:signal'] })
  const reply = await caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })
  expect(reply.status, reply.text).toBe(200)
  await succeeds(id)
  expect(await signalsOf(id)).toMatchObject([{ key_id: 'key_acme', via: 'token' }])
  const [entry] = await entriesOf(id, 1)
  expect(entry).toMatchObject({ action: 'run.signal', key_id: 'key_acme', via: 'token' })
})
