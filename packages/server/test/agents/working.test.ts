// What a worker's model does, and what the step makes of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tool } from '../../src/tools/port/tool.ts'
import { onePerFormat, promptOf } from '../support/adapters.ts'
import { AgentBench, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

const lookUp = ownTool({ name: 'look_up' })

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  const pay = ownTool({ name: 'pay', effect: 'once' })
  const fails: Tool = {
    ...ownTool({ name: 'fails' }),
    run: async () => {
      throw new Error('It is closed.')
    },
  }
  const page = { ...ownTool({ name: 'page' }), run: async () => ({ body: 'x'.repeat(900_000), end: 'the end' }) }
  beforeAll(async () => {
    agents = await AgentBench.start({
      adapter,
      tools: [lookUp, pay, page, fails],
      env: { RUNWRIGHT_MAX_TURNS: '8', RUNWRIGHT_CONTEXT_TOKENS: '16000' },
    })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })

  const step = (more: object = {}) => planned([{ instruction: 'Do it', ...more }])
  const look = (n: number) => callTools([{ name: 'look_up', args: { n } }])
  const contentOf = (events: Parameters<typeof ofType>[0]) => ofType(events, 'step.done').map(({ content }) => content)

  test('chatter before a tool call is streamed and is not part of the result', async () => {
    const { id, events } = await agents.play(
      {
        worker: [
          callTools([{ name: 'look_up', args: {} }], { text: 'Let me look that up for you. ' }),
          say('391 euros.'),
        ],
      },
      step(),
    )
    expect(contentOf(events)).toEqual(['391 euros.'])
    expect((await agents.bench.acme.run(id)).event_payload.value).toEqual({ content: '391 euros.', output: null })
    expect(
      ofType(events, 'step.progress')
        .map(({ content_delta }) => content_delta ?? '')
        .join(''),
    ).toContain('Let me look')
  })

  test('the prompt only grows: a provider’s cache has all that the turn before sent', async () => {
    await agents.play({ worker: [look(1), look(2), look(3), say('Done.')] }, step())
    const [first = '', ...later] = agents.asked('worker').map(({ body }) => promptOf(body))
    expect(later).toHaveLength(3)
    later.reduce((before, prompt) => {
      expect(prompt.slice(0, before.length)).toBe(before)
      return prompt
    }, first)
  })

  describe('a reply that is no result', () => {
    test('empty: asked once more, and said so', async () => {
      const { events } = await agents.play({ worker: [say(''), say('Here it is.')] }, step())
      expect(contentOf(events)).toEqual(['Here it is.'])
      expect(AgentBench.textOf(agents.asked('worker')[1])).toContain('Your answer was empty')
    })

    test('empty twice: failed with empty_reply, never a silent success', async () => {
      const { id, events } = await agents.play({ worker: say('') }, step())
      expect(agents.asked('worker')).toHaveLength(2)
      expect(outline(events).slice(-3)).toEqual(['step.done fail_run', 'judge stop step_failed', 'failed empty_reply'])
      expect(ofType(events, 'step.done')[0]).not.toHaveProperty('provider_error_message')
      expect(await agents.bench.include(id, 'failure')).toMatchObject({
        reason_code: 'empty_reply',
        message: 'The model answered with nothing, twice.',
      })
    })

    test('a refusal fails with provider_refused and its words', async () => {
      const { id, events } = await agents.play({ worker: say('', { refusal: 'I cannot help with that.' }) }, step())
      expect(outline(events).at(-1)).toBe('failed provider_refused')
      // Google blocks the prompt, and gives no words.
      const words = adapter === 'google' ? 'content filter stopped the reply' : 'I cannot help with that.'
      expect(await agents.bench.include(id, 'failure')).toMatchObject({ message: expect.stringContaining(words) })
    })

    test('stopped by the content filter: failed with provider_refused', async () => {
      const { events } = await agents.play({ worker: say('Well', { finish: 'content_filter' }) }, step())
      expect(outline(events).at(-1)).toBe('failed provider_refused')
    })

    test('cut by length: continued, and the pieces are one result', async () => {
      const { events } = await agents.play(
        { worker: [say(['One, two, '], { finish: 'length' }), say(['three.'])] },
        step(),
      )
      expect(contentOf(events)).toEqual(['One, two, three.'])
      expect(AgentBench.textOf(agents.asked('worker')[1])).toContain('Go on exactly where it ends')
    })

    test('cut again and again: failed with reply_truncated', async () => {
      const { events } = await agents.play({ worker: say(['more '], { finish: 'length' }) }, step())
      expect(agents.asked('worker')).toHaveLength(4)
      expect(outline(events).at(-1)).toBe('failed reply_truncated')
    })
  })

  describe('calls that lead nowhere', () => {
    test('the same call for ever: told, then a last turn without tools', async () => {
      const { events } = await agents.play(
        {
          worker: (request) =>
            request.tools.length > 0 ? callTools([{ name: 'look_up', args: { q: 'same' } }]) : say('I found nothing.'),
        },
        step(),
      )
      expect(ofType(events, 'run.tool.invoked')).toHaveLength(5)
      expect(AgentBench.textOf(agents.asked('worker')[3])).toContain('the same call 3 times in a row')
      expect(agents.asked('worker').at(-1)?.tools).toEqual([])
      expect(contentOf(events)).toEqual(['I found nothing.'])
      expect(outline(events).at(-2)).toBe('judge stop turn_limit')
    })

    test('other calls for ever: the last turn offers no tools, and its answer is the result', async () => {
      const { events } = await agents.play(
        { worker: (request) => (request.tools.length > 0 ? look(request.messages.length) : say('This far.')) },
        step(),
      )
      expect(agents.asked('worker')).toHaveLength(8)
      expect(AgentBench.textOf(agents.asked('worker').at(-1))).toContain('This is your last turn')
      expect(contentOf(events)).toEqual(['This far.'])
      expect(outline(events).at(-1)).toBe('succeeded')
    })
  })

  describe('several calls in one reply', () => {
    test('two that are the same and change the world: the second is not made, and the model and readers are told', async () => {
      const args = { invoice: 17 }
      const { id, events } = await agents.play(
        {
          worker: [
            callTools([
              { name: 'pay', args },
              { name: 'pay', args },
            ]),
            say('Paid.'),
          ],
        },
        step(),
      )
      expect(pay.callsOf(id)).toHaveLength(1)
      const outcomes = ofType(events, 'run.tool.invoked').map(({ tool_outcome }) => tool_outcome)
      expect(outcomes).toEqual(['succeeded', 'failed'])
      const results = agents.asked('worker')[1]?.messages.at(-1)?.toolResults ?? []
      expect(results).toHaveLength(2)
      expect(results[1]?.text).toContain('repeats the call')
    })

    test('different ones that change the world run one after another', async () => {
      const { id } = await agents.play(
        { worker: [callTools([1, 2, 3].map((invoice) => ({ name: 'pay', args: { invoice } }))), say('Paid.')] },
        step(),
      )
      expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ invoice: 1 }, { invoice: 2 }, { invoice: 3 }])
    })

    test('arguments encoded twice are read', async () => {
      const calls = [{ name: 'look_up', rawArgs: JSON.stringify('{"a":1}') }]
      const { id, events } = await agents.play({ worker: [callTools(calls), say('Done.')] }, step())
      expect(lookUp.callsOf(id).map(({ input }) => input)).toEqual([{ a: 1 }])
      expect(outline(events).at(-1)).toBe('succeeded')
    })

    test('a call that fails, one with broken arguments and one of a tool that does not exist: the model is told', async () => {
      // Gemini sends no call that it cannot parse.
      const broken = adapter === 'google' ? [] : [{ name: 'look_up', rawArgs: '{"a": ' }]
      const calls = [...broken, { name: 'fails', args: {} }, { name: 'no_such_tool', args: {} }]
      const { events } = await agents.play({ worker: [callTools(calls), say('Done.')] }, step())
      const [, second] = agents.asked('worker')
      const results = second?.messages.at(-1)?.toolResults ?? []
      expect(results).toHaveLength(calls.length)
      for (const { text } of results) expect(text).toContain('error')
      // Only Anthropic has a flag for it.
      if (adapter === 'anthropic') expect(results.map(({ failed }) => failed)).toEqual([true, true, true])
      expect(outline(events).at(-1)).toBe('succeeded')
    })
  })

  describe('what does not fit', () => {
    test('a result of 900 kB is shown cut, and can be read on', async () => {
      let callId = ''
      const { events } = await agents.play(
        {
          worker: [
            callTools([{ name: 'page', args: {} }]),
            (request) => {
              callId = /call_id \\?"(call_[a-z0-9]+)/.exec(AgentBench.textOf(request))?.[1] ?? ''
              return callTools([{ name: 'read_result', args: { call_id: callId, offset: 899_990 } }])
            },
            say('It ends with the end.'),
          ],
        },
        step(),
      )
      expect(callId).not.toBe('')
      const [, second, third] = agents.asked('worker')
      expect(AgentBench.textOf(second).length).toBeLessThan(30_000)
      expect(second?.tools.map(({ name }) => name)).toContain('read_result')
      expect(AgentBench.textOf(third)).toContain('the end')
      expect(outline(events).at(-1)).toBe('succeeded')
    })

    test('context_length_exceeded: shortened and repeated once', async () => {
      const { events } = await agents.play(
        { worker: [look(1), look(2), fail('context_too_long'), say('Done.')], summary: say('Looked up 1.') },
        step(),
      )
      expect(outline(events).at(-1)).toBe('succeeded')
      expect(agents.calls).toEqual(['worker', 'worker', 'worker', 'summary', 'worker', 'judge'])
    })

    test('context_length_exceeded again: failed with context_exceeded', async () => {
      const { events } = await agents.play({ worker: fail('context_too_long') }, step())
      expect(outline(events).at(-1)).toBe('failed context_exceeded')
      expect(agents.asked('worker')).toHaveLength(2)
    })
  })

  test('a plain approval is told to the model in words', async () => {
    agents.script({ worker: say('Paid.'), judge: verdict('continue') })
    const id = await agents.bench.create(planned([{ id: 'pay', instruction: 'Pay invoice 17', approval: 'required' }]))
    await agents.bench.waits(id)
    await agents.bench.signal(id, 'approve')
    await agents.bench.ended(id)
    const prompt = AgentBench.textOf(agents.asked('worker')[0])
    expect(prompt).toContain('A person was asked: "May this step start: Pay invoice 17". The person approved it.')
    expect(prompt).not.toContain('null')
  })

  test('{{attachment_refs}} is a template root', async () => {
    const body = { ...planned([{ instruction: 'Read {{attachment_refs[0]}}' }]), attachment_refs: ['s3://a/b.pdf'] }
    await agents.play({ worker: say('Read.') }, body)
    expect(AgentBench.textOf(agents.asked('worker')[0])).toContain('Now do this step: Read s3://a/b.pdf')
  })
})

describe.each(['openai-compatible', 'openai-chat'] as const)('servers behind %s', (adapter) => {
  test('ids that are missing or repeated are tolerated', async () => {
    const agents = await AgentBench.start({ adapter, tools: [lookUp] })
    const calls = [
      { name: 'look_up', rawArgs: '{"a":1}', id: 'same' },
      { name: 'look_up', rawArgs: '{"a":2}', id: 'same' },
      { name: 'look_up', rawArgs: '', ...(adapter === 'openai-compatible' && { id: null }) },
    ]
    const { id, events } = await agents.play(
      { worker: [callTools(calls), say('Done.')] },
      planned([{ instruction: 'Do it' }]),
    )
    expect(lookUp.callsOf(id).map(({ input }) => input)).toEqual([{ a: 1 }, { a: 2 }, {}])
    expect(outline(events).at(-1)).toBe('succeeded')
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })
})

// The window of an unknown model is set by a setting; those of the other adapters are known and larger.
test('a conversation that fills the window is summarized, and goes on', async () => {
  const agents = await AgentBench.start({ tools: [lookUp], env: { RUNWRIGHT_CONTEXT_TOKENS: '16000' } })

  const long = { name: 'look_up', args: { text: 'word '.repeat(2_500) } }
  const { events } = await agents.play(
    {
      worker: [
        callTools([long]),
        callTools([{ ...long, args: { ...long.args, n: 2 } }]),
        callTools([{ ...long, args: { ...long.args, n: 3 } }]),
        say('Done.'),
      ],
      summary: say('Looked up words.'),
    },
    planned([{ instruction: 'Do it' }]),
  )
  expect(outline(events)).toContain('worker continue context_compacted')
  expect(outline(events).at(-1)).toBe('succeeded')
  const last = AgentBench.textOf(agents.asked('worker').at(-1))
  expect(last).toContain('Looked up words.')
  expect(last).toContain('Do it')
  await agents.stop()
  expect(agents.provider.refusals).toEqual([])
})

test('a call that Gemini could not parse costs another try of the step, and no tool is called', async () => {
  const agents = await AgentBench.start({ adapter: 'google', tools: [lookUp] })
  const malformed = callTools([{ name: 'look_up', rawArgs: '{"a": ' }])
  const { id, events } = await agents.play({ worker: [malformed, say('Done.')] }, planned([{ instruction: 'Do it' }]))
  expect(ofType(events, 'step.done')).toMatchObject([{ outcome: 'retry_step' }, { outcome: 'succeeded' }])
  expect(lookUp.callsOf(id)).toEqual([])
  await agents.stop()
})
