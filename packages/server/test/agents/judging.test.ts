// What the judge is shown, and what follows from what it says.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onePerFormat } from '../support/adapters.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { until } from '../support/processes.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

const question = { input: { question: 'What does it cost?' }, metadata: {} }

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  const lookUp = ownTool({ name: 'look_up' })
  beforeAll(async () => {
    agents = await AgentBench.start({
      adapter,
      tools: [lookUp],
      env: { RUNWRIGHT_MAX_STEPS: '4', RUNWRIGHT_PROVIDER_RETRY_SECONDS: '1' },
    })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })

  test('a one-step question costs the worker’s turns and one judge', async () => {
    const { events } = await agents.play(
      { worker: [callTools([{ name: 'look_up', args: { item: 'x' } }]), say('391 euros.')] },
      question,
    )
    expect(agents.calls).toEqual(['worker', 'worker', 'judge'])
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('the judge is shown the step that it judges, with its evidence', async () => {
    const plan = [
      { id: 'price', instruction: 'Find the price' },
      { id: 'tell', instruction: 'Tell it' },
    ]
    await agents.play(
      {
        worker: [callTools([{ name: 'look_up', args: { item: 'lamp' } }]), say('{"price": 391}'), say('Told.')],
        judge: verdict('continue'),
      },
      planned(plan, [], { input: { customer: 'Ada' } }),
    )
    const prompt = AgentBench.textOf(agents.asked('judge')[0])
    expect(prompt).toContain('The step that has just ended: price\nInstruction: Find the price')
    expect(prompt).toContain('look_up({"item":"lamp"}) succeeded: {"item":"lamp"}')
    expect(prompt).toContain('{"price": 391}')
    expect(prompt).toContain('"customer":"Ada"')
    expect(prompt).toContain('- [current] price: Find the price\n- [open] tell: Tell it')
    expect(prompt).toMatch(/Left to spend: \d+ tokens, \d+ seconds/)
    expect(prompt).toContain('1 step of the plan is left.')
  })

  test('what the judge said is in the event word for word, what was done beside it', async () => {
    const { events } = await agents.play(
      { worker: say('Fine.'), judge: verdict('continue', 'More, please.') },
      planned([{ instruction: 'a' }]),
    )
    expect(ofType(events, 'run.coordination.decision')).toMatchObject([
      {
        decision_type: 'stop',
        reason_code: 'nothing_left',
        judge_decision: { decision: 'continue', reason: 'More, please.' },
      },
    ])
  })

  describe('without a plan', () => {
    test('`continue` starts another step, which does what the judge instructs', async () => {
      const goOn = verdict('continue', 'A good start.', { next_instruction: 'Now check the total.' })
      await agents.play({ worker: say('A start.'), judge: [goOn, verdict('stop')] }, question)
      expect(agents.calls).toEqual(['worker', 'judge', 'worker', 'judge'])
      const prompt = AgentBench.textOf(agents.asked('worker')[1])
      expect(prompt).toContain('Now do this step: Now check the total.')
      expect(prompt).toContain('A start.')
    })

    test('`continue` for ever ends the run with step_limit', async () => {
      const goOn = verdict('continue', 'More.', { next_instruction: 'Go on.' })
      const { events } = await agents.play({ worker: say('More.'), judge: goOn }, question)
      expect(agents.asked('worker')).toHaveLength(4)
      expect(outline(events).slice(-2)).toEqual(['judge stop step_limit', 'failed step_limit'])
    })
  })

  describe('without a plan, `continue` without an instruction', () => {
    const said = 'The answer is correct and complete.'

    test.each([{}, { next_instruction: '  ' }, { next_instruction: 7 }, { goal_reached: true }])(
      'is a stop: %j',
      async (more) => {
        const { events } = await agents.play(
          { worker: say('Paris.'), judge: verdict('continue', said, more) },
          question,
        )
        expect(agents.calls).toEqual(['worker', 'judge'])
        expect(outline(events).slice(-2)).toEqual(['judge stop nothing_left', 'succeeded'])
        expect(ofType(events, 'run.coordination.decision').at(-1)).toMatchObject({
          judge_decision: { decision: 'continue', reason: said },
        })
      },
    )

    test('fails the run if the goal is not reached', async () => {
      const bad = verdict('continue', 'The total is wrong.', { goal_reached: false })
      const { id, events } = await agents.play({ worker: say('3'), judge: bad }, question)
      expect(outline(events).at(-1)).toBe('failed goal_not_reached')
      expect(await agents.bench.include(id, 'failure')).toMatchObject({ message: 'The total is wrong.' })
    })
  })

  test('work that the judge calls bad on the last step is not a success', async () => {
    const bad = verdict('stop', 'The total is wrong.', { goal_reached: false })
    const { id, events } = await agents.play(
      { worker: say('1 + 1 = 3'), judge: bad },
      planned([{ instruction: 'Add up' }]),
    )
    expect(outline(events).slice(-3)).toEqual([
      'step.done fail_run',
      'judge stop goal_not_reached',
      'failed goal_not_reached',
    ])
    expect(await agents.bench.include(id, 'failure')).toMatchObject({
      reason_code: 'goal_not_reached',
      message: 'The total is wrong.',
    })
  })

  test('a retry after that asks the worker again, without repeating its calls, and the judge again', async () => {
    const worker = [callTools([{ name: 'look_up', args: { retried: 1 } }]), say('1 + 1 = 3')]
    const { id } = await agents.play({ worker, judge: verdict('stop', 'Wrong.', { goal_reached: false }) }, question)
    agents.script({ worker: say('1 + 1 = 2') })
    await agents.bench.command(id, 'retry')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(agents.calls).toEqual(['worker', 'judge'])
    expect(lookUp.callsOf(id)).toHaveLength(1)
    expect((await agents.bench.acme.run(id)).event_payload.value).toMatchObject({ content: '1 + 1 = 2' })
  })

  describe('a judge that asks a person', () => {
    test.each([
      ['with a prompt', { prompt: 'Pay 391 euros?', input_kind: 'approval' }, 'Pay 391 euros?', 'approval'],
      ['with fields that do not exist', { prompt: 'Pay?', urgency: 'high', input_kind: 'yes_or_no' }, 'Pay?', null],
      ['without a prompt: the reason is the question', {}, 'I need to know the account.', null],
    ])('%s pauses the run, and the person sees the question', async (_, more, prompt, input_kind) => {
      agents.script({
        worker: say('Ready.'),
        judge: [verdict('await_input', 'I need to know the account.', more), verdict('stop')],
      })
      const id = await agents.bench.create(question)
      await agents.bench.waits(id)
      expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({
        prompt,
        input_kind,
        reason_code: 'input_required',
      })
      await agents.bench.signal(id, 'submit_input', { payload: { account: 'DE1' } })
      await agents.bench.ended(id)
      expect(AgentBench.textOf(agents.asked('worker')[1])).toContain('"account":"DE1"')
      expect(AgentBench.textOf(agents.asked('worker')[1])).toContain(prompt)
    })
  })

  describe('a judge that cannot be read', () => {
    test('gets one repair turn', async () => {
      const { events } = await agents.play(
        { worker: say('Ready.'), judge: [say('Looks good to me!'), verdict('stop')] },
        question,
      )
      expect(agents.calls).toEqual(['worker', 'judge', 'judge'])
      expect(agents.asked('judge')[1]?.messages.at(-1)?.text).toContain('the answer holds no JSON')
      expect(outline(events).at(-2)).toBe('judge stop all_done')
    })

    test('twice: the rule goes on, and the decision says so', async () => {
      const { events } = await agents.play(
        { worker: say('Ready.'), judge: say('Fine.') },
        planned([{ instruction: 'a' }, { instruction: 'b' }]),
      )
      expect(outline(events).filter((word) => word.startsWith('judge'))).toEqual([
        'judge continue judge_unreadable',
        'judge stop judge_unreadable',
      ])
      expect(outline(events).at(-1)).toBe('succeeded')
    })

    test('because its provider stays away: the same, after the retries', async () => {
      const { events } = await agents.play({ worker: say('Ready.'), judge: fail('server_error') }, question)
      expect(agents.asked('judge').length).toBeGreaterThan(2)
      expect(agents.asked('worker')).toHaveLength(1)
      expect(outline(events).slice(-2)).toEqual(['judge stop judge_unreadable', 'succeeded'])
    })
  })
})

describe('when the judge decides nothing', () => {
  test.each([
    ['ask', 'awaiting judge_unreadable approval'],
    ['fail', 'failed judge_unavailable'],
  ])('RUNWRIGHT_JUDGE_FALLBACK=%s: %s', async (fallback, last) => {
    const own = await AgentBench.start({ env: { RUNWRIGHT_JUDGE_FALLBACK: fallback } })
    try {
      own.script({ worker: say('Ready.'), judge: json({ decision: 'perhaps' }) })
      const id = await own.bench.create(question)
      const isOver = (words: string[]) => words.at(-1) === last
      const events = await own.bench.until(id, (all) => isOver(outline(all)))
      expect(outline(events).at(-1)).toBe(last)
    } finally {
      await own.stop()
    }
  })
})

test('a judge whose call is aborted decides nothing: the run goes on from the journal, and no step is missing', async () => {
  const own = await AgentBench.start()
  let isHeld = true
  const hold = () => {
    const answer = isHeld ? say('x', { delivery: { hang: true } }) : undefined
    isHeld = false
    return answer
  }
  const goOn = (next_instruction: string) => verdict('continue', 'Good.', { next_instruction })
  const decisions = [goOn('Second.'), goOn('Third.'), verdict('stop')]
  own.script({ worker: say('Done.'), judge: () => hold() ?? (decisions.shift() as ReturnType<typeof verdict>) })
  const id = await own.bench.create(question)
  await own.provider.stalled(1)
  const { database } = own.bench.service
  // The judge is asked while the reply is being committed.
  const replies = () => database.query({ text: `select key from journal where key like 'reply:%'` })
  await until(async () => (await replies()).length === 1, { what: () => 'the reply in the journal' })
  // Its lease is taken away, as after a pause that was too long: the worker finds out with its next renewal.
  await database.run({
    text: `
update runs
set epoch = epoch + 1, worker_id = null, lease_until = null, ready_at = clock_timestamp()
where worker_id is not null`,
  })
  const events = await own.bench.ended(id, 1, 20_000)
  expect(ofType(events, 'step.done')).toHaveLength(3)
  expect(own.asked('worker')).toHaveLength(3)
  expect(outline(events).at(-1)).toBe('succeeded')
  await own.stop()
})
