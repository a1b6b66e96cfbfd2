import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ToolCatalogue } from './catalogue.ts'
import { invokeTool, maxMessageLength, type ToolInvocation } from './invoke.ts'
import { NotSent, type Tool, type ToolCallContext, ToolDenied, ToolTimeout, withoutEffect } from './tool.ts'

const context = (signal = new AbortController().signal): ToolCallContext => ({
  signal,
  customerId: 'acme',
  workspaceId: 'w',
  subjectId: null,
  runId: 'run_1',
  toolCallId: 'call_1',
  idempotencyKey: 'key',
  beforeSend: () => undefined,
})

const tool = (run: Tool<{ text: string }>['run'], part: Partial<Tool> = {}): Tool => ({
  name: 'echo',
  description: 'Says it again',
  input: z.strictObject({ text: z.string().default('hello') }),
  effectOf: () => 'read',
  timeoutSeconds: 30,
  run: (input, given) => run(input as { text: string }, given),
  ...part,
})

const invoke = (called: Tool, part: Partial<ToolInvocation> = {}) =>
  invokeTool({
    catalogue: new ToolCatalogue([called]),
    name: called.name,
    input: {},
    allowed: undefined,
    context: context(),
    ...part,
  })

const throwing = (error: unknown) =>
  tool(async () => {
    throw error
  })
const echo = tool(async ({ text }) => ({ text }))
const never = () => new Promise<never>(() => undefined)

const refuse = () => {
  throw new NotSent()
}

describe('the look before a call', () => {
  test('comes right before the tool', async () => {
    const order: string[] = []
    const noting = tool(async () => order.push('tool'))
    await invoke(noting, { context: { ...context(), beforeSend: () => order.push('look') } })
    expect(order).toEqual(['look', 'tool'])
  })

  test('keeps a call from being made, and that is no failure of the tool', async () => {
    const run = vi.fn(async () => null)
    expect(await invoke(tool(run), { context: { ...context(), beforeSend: refuse } })).toEqual({ outcome: 'not_sent' })
    expect(run).not.toHaveBeenCalled()
  })

  test('is left to a tool that sends something later', async () => {
    const later = tool(
      async (_, { beforeSend }) => {
        await Promise.resolve()
        beforeSend()
        return 'sent'
      },
      { looksBeforeSending: true },
    )
    expect(await invoke(later)).toMatchObject({ outcome: 'succeeded' })
    expect(await invoke(later, { context: { ...context(), beforeSend: refuse } })).toEqual({ outcome: 'not_sent' })
  })

  test('that refuses after something was sent fails the call', async () => {
    const looks = [() => undefined, refuse]
    const twice = tool(
      async (_, { beforeSend }) => {
        beforeSend()
        beforeSend()
      },
      { looksBeforeSending: true },
    )
    const result = await invoke(twice, { context: { ...context(), beforeSend: () => looks.shift()?.() } })
    expect(result).toMatchObject({ outcome: 'failed', message: expect.stringContaining('another worker') })
  })

  test('refuses a call that has ended: a tool that ignores its signal sends nothing any more', async () => {
    const caller = new AbortController()
    let end: (value: unknown) => void = () => undefined
    const ended = new Promise((resolve) => {
      end = resolve
    })
    const slow = tool(
      async (_, { signal, beforeSend }) => {
        queueMicrotask(() => caller.abort())
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        try {
          end(beforeSend())
        } catch (error) {
          end(error)
        }
      },
      { looksBeforeSending: true },
    )
    expect(await invoke(slow, { context: context(caller.signal) })).toEqual({ outcome: 'aborted' })
    expect(await ended).toBeInstanceOf(NotSent)
  })
})

describe('a call that fails', () => {
  const no = () => {
    throw new Error('No.')
  }
  const noEffect = { outcome: 'failed', message: 'No.', noEffect: true }

  test('after something was sent may have had an effect', async () => {
    expect(await invoke(tool(no))).toEqual({ outcome: 'failed', message: 'No.' })
  })

  test('before that had none', async () => {
    expect(await invoke(tool(no, { looksBeforeSending: true }))).toEqual(noEffect)
  })

  test('had none if the error says so', async () => {
    expect(await invoke(throwing(withoutEffect(new Error('No.'))))).toEqual(noEffect)
    expect(await invoke(throwing(Object.assign(new Error('No.'), { effectDone: true })))).not.toHaveProperty('noEffect')
  })

  test('by its time limit had none if nothing was sent until then', async () => {
    const part = { timeoutSeconds: 0.01 }
    expect(await invoke(tool(never, part))).not.toHaveProperty('noEffect')
    expect(await invoke(tool(never, { ...part, looksBeforeSending: true }))).toMatchObject({
      outcome: 'timeout',
      noEffect: true,
    })
  })

  test('because its output cannot be stored had an effect', async () => {
    expect(await invoke(tool(async () => 1n))).toEqual({
      outcome: 'failed',
      message: expect.stringContaining('bigint'),
    })
  })
})

describe('a call', () => {
  test('gives the output of the tool for the input as its schema reads it', async () => {
    expect(await invoke(echo)).toEqual({ outcome: 'succeeded', output: { text: 'hello' } })
    expect(await invoke(echo, { input: { text: 'x\0' } })).toEqual({
      outcome: 'succeeded',
      output: { text: 'x\ufffd' },
    })
  })

  test('passes the context to the tool, with a signal of its own', async () => {
    const run = vi.fn(async (_input: unknown, _given: ToolCallContext) => null)
    const given = context()
    await invoke(tool(run), { context: given })
    expect(run.mock.calls[0]?.[1]).toEqual({
      ...given,
      signal: expect.any(AbortSignal),
      beforeSend: expect.any(Function),
    })
    expect(run.mock.calls[0]?.[1].signal).not.toBe(given.signal)
  })

  test('of a tool that does not exist fails and names it', async () => {
    const message = 'Unknown tool: "search the web".'
    expect(await invoke(echo, { name: 'search the web' })).toEqual({ outcome: 'failed', message })
    expect(await invoke(echo, { name: 'gone', allowed: new Set() })).toMatchObject({ outcome: 'failed' })
  })

  test('that the tool itself refuses by policy is denied with its reason', async () => {
    const refused = throwing(new ToolDenied('address_not_allowed', 'Not there.'))
    expect(await invoke(refused)).toEqual({
      outcome: 'policy_denied',
      reasonCode: 'address_not_allowed',
      message: 'Not there.',
    })
  })

  test('that ran out of a time of its own has timed out', async () => {
    const late = throwing(new ToolTimeout('Too slow.'))
    expect(await invoke(late)).toEqual({ outcome: 'timeout', message: 'Too slow.' })
  })

  test('of a tool that is not allowed is denied, and the tool not run', async () => {
    const run = vi.fn(async () => null)
    const message = 'The tool "echo" is not allowed in this step.'
    const denied = { outcome: 'policy_denied', reasonCode: 'tool_not_allowed', message }
    expect(await invoke(tool(run), { allowed: new Set(['other']) })).toEqual(denied)
    expect(await invoke(tool(run), { allowed: new Set(), input: 'wrong' })).toEqual(denied)
    expect(run).not.toHaveBeenCalled()
  })

  test('of a tool that is allowed runs', async () => {
    expect(await invoke(echo, { allowed: new Set(['echo']) })).toMatchObject({ outcome: 'succeeded' })
  })

  test('with input that does not fit fails, names the field and does not repeat its value', async () => {
    const message = 'input.text must be a string.'
    expect(await invoke(echo, { input: { text: 4711 } })).toEqual({ outcome: 'failed', message })
    expect(await invoke(echo, { input: { text: 'a', more: 1, extra: 2 } })).toEqual({
      outcome: 'failed',
      message: 'input.more, input.extra are not known fields.',
    })
  })

  test('whose output is not JSON fails with the location', async () => {
    const message = 'The tool "echo" failed: output.size is of type bigint, which is not JSON.'
    expect(await invoke(tool(async () => ({ size: 1n })))).toEqual({ outcome: 'failed', message })
  })
})

describe('a tool that throws fails with its message', () => {
  test.each([
    ['an error', new TypeError('The page is gone.'), 'The page is gone.'],
    ['a text', 'The page is gone.', 'The page is gone.'],
    ['an error without message', new Error(), 'The tool "echo" failed without an error message.'],
    ['nothing', undefined, 'The tool "echo" failed without an error message.'],
    ['an object', { code: 7 }, 'The tool "echo" failed without an error message.'],
    ['what cannot be stored', new Error('a\0b\ud800'), 'a\ufffdb\ufffd'],
    ['the longest message', 'é'.repeat(maxMessageLength), 'é'.repeat(maxMessageLength)],
    ['a longer one', new Error('😀'.repeat(maxMessageLength + 1)), `${'😀'.repeat(maxMessageLength)}…`],
  ])('%s', async (_, error, message) => {
    expect(await invoke(throwing(error))).toEqual({ outcome: 'failed', message })
  })

  test('also when it throws at once', async () => {
    const called = tool(() => {
      throw new Error('At once.')
    })
    expect(await invoke(called)).toEqual({ outcome: 'failed', message: 'At once.' })
  })

  test('secrets are hidden before the message is cut', async () => {
    const secret = 'hunter2-hunter2'
    const called = throwing(new Error(`${'x'.repeat(maxMessageLength - 5)}${secret}`))
    const result = await invoke(called, { scrub: (text) => text.replaceAll(secret, '***') })
    expect(result).toEqual({ outcome: 'failed', message: `${'x'.repeat(maxMessageLength - 5)}***` })
  })

  test.each([
    ['an error that throws when read', hostileError()],
    ['a revoked proxy', revokedProxy()],
  ])('%s makes no caller throw', async (_, error) => {
    expect(await invoke(throwing(error))).toMatchObject({ outcome: 'failed' })
  })

  test('a schema that throws makes no caller throw', async () => {
    const input = z.strictObject({}).transform(() => {
      throw new Error('broken schema')
    })
    const catalogue = { find: () => tool(async () => null, { input }) } as unknown as ToolCatalogue
    expect(await invoke(echo, { catalogue })).toEqual({
      outcome: 'failed',
      message: 'The call of "echo" failed because of an internal error.',
    })
  })

  function hostileError(): Error {
    const get = () => {
      throw new Error('not now')
    }
    return Object.defineProperty(new Error('x'), 'message', { get })
  }

  function revokedProxy(): object {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }
})

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const timeout = (seconds: number) => ({
    outcome: 'timeout',
    message: `The tool "echo" did not finish within ${seconds} seconds.`,
  })
  const started = (called: Tool, part?: Partial<ToolInvocation>) => {
    const ended = vi.fn()
    void invoke(called, part).then(ended)
    return ended
  }

  test("is the tool's own", async () => {
    const ended = started(tool(never))
    await vi.advanceTimersByTimeAsync(29_999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledExactlyOnceWith(timeout(30))
  })

  test.each([
    [0.5, 0.5],
    [60, 30],
  ])('%d seconds asked for are %d', async (timeoutSeconds, seconds) => {
    const ended = started(tool(never), { timeoutSeconds })
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    expect(ended).toHaveBeenCalledExactlyOnceWith(timeout(seconds))
  })

  test('aborts the signal, and a tool that throws at once has not failed', async () => {
    let aborted = false
    const called = tool(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true
            reject(new Error('gave up'))
          })
        }),
    )
    const ended = started(called)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(aborted).toBe(true)
    expect(ended).toHaveBeenCalledExactlyOnceWith(timeout(30))
  })

  test('a tool that fails after the call has ended has no effect', async () => {
    const unheard = vi.fn()
    process.on('unhandledRejection', unheard)
    const late = tool(async () => {
      await new Promise((done) => setTimeout(done, 60_000))
      throw new Error('too late')
    })
    const ended = started(late)
    await vi.advanceTimersByTimeAsync(61_000)
    vi.useRealTimers()
    await new Promise((done) => setImmediate(done))
    process.off('unhandledRejection', unheard)
    expect(ended).toHaveBeenCalledExactlyOnceWith(timeout(30))
    expect(unheard).not.toHaveBeenCalled()
  })

  test('no timer is left when the call is over', async () => {
    await invoke(echo)
    await invoke(throwing(new Error('x')))
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('an abort', () => {
  const aborted = { outcome: 'aborted' }

  test('before the call keeps the tool from running', async () => {
    const run = vi.fn(async () => null)
    expect(await invoke(tool(run), { context: context(AbortSignal.abort()) })).toEqual(aborted)
    expect(run).not.toHaveBeenCalled()
  })

  test('ends a call whose tool does not listen', async () => {
    const controller = new AbortController()
    const called = tool(() => {
      controller.abort()
      return never()
    })
    expect(await invoke(called, { context: context(controller.signal) })).toEqual(aborted)
  })

  test('aborts the signal, and a tool that throws at once has not failed', async () => {
    const controller = new AbortController()
    const called = tool(async (_, { signal }) => {
      queueMicrotask(() => controller.abort())
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('gave up'))))
    })
    expect(await invoke(called, { context: context(controller.signal) })).toEqual(aborted)
  })

  test('that the tool notices first is still an abort', async () => {
    const controller = new AbortController()
    const heard = new Promise((_resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(new Error('connection closed')))
    })
    const called = tool(() => {
      queueMicrotask(() => controller.abort())
      return heard
    })
    expect(await invoke(called, { context: context(controller.signal) })).toEqual(aborted)
  })

  test('is not listened for any more once the call is over', async () => {
    const controller = new AbortController()
    let seen: AbortSignal | undefined
    const called = tool(async (_, { signal }) => {
      seen = signal
      return null
    })
    await invoke(called, { context: context(controller.signal) })
    controller.abort()
    expect(seen?.aborted).toBe(false)
  })
})
