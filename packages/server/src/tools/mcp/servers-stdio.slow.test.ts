import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../test/support/engine.ts'
import { everything, isAlive, McpBench, stub } from '../../../test/support/mcp.ts'
import { cpuOf } from '../../../test/support/thread-cpu.ts'

describe('the tools of a real server', () => {
  let bench: McpBench
  beforeAll(async () => {
    bench = new McpBench({ everything: { ...everything, timeout_seconds: 1 } })
    await bench.connected()
  })
  afterAll(() => bench.servers.stop())

  test('are listed under its name, with its descriptions', () => {
    expect(bench.names).toEqual(expect.arrayContaining(['everything.echo', 'everything.get-sum']))
    expect(bench.offer('everything.echo')).toMatchObject({
      name: 'everything.echo',
      description: 'Echoes back the input string',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    })
  })

  test('that require tasks are omitted', () => {
    expect(bench.names).not.toContain('everything.simulate-research-query')
  })

  test('give back their text', async () => {
    expect(await bench.call('everything.echo', { message: 'hello' })).toEqual({
      outcome: 'succeeded',
      output: 'Echo: hello',
    })
    const sum = await bench.call('everything.get-sum', { a: 2, b: 40 })
    expect(sum).toEqual({ outcome: 'succeeded', output: 'The sum of 2 and 40 is 42.' })
  })

  test('give back structured content as it is', async () => {
    const weather = await bench.call('everything.get-structured-content', { location: 'Chicago' })
    expect(weather).toMatchObject({ outcome: 'succeeded', output: { humidity: 82, temperature: 36 } })
  })

  test('return notes in place of images and resources', async () => {
    const { output } = (await bench.call('everything.get-tiny-image')) as { output: string }
    expect(output).toMatch(/\[image image\/png, \d+ bytes, omitted\]/)
    const links = await bench.call('everything.get-resource-links', { count: 1 })
    expect(links).toMatchObject({ output: expect.stringContaining('[resource demo://') })
  })

  test('fail with the message of the server when it rejects the input', async () => {
    const result = await bench.call('everything.get-sum', { a: 'two' })
    expect(result).toEqual({ outcome: 'failed', message: expect.stringMatching(/expected number/i) })
  })

  test('fail when the input is not an object', async () => {
    expect(await bench.call('everything.echo', 'hello')).toEqual({
      outcome: 'failed',
      message: 'input must be an object.',
    })
  })

  test('end at the time that the config gives them', async () => {
    const result = await bench.call('everything.trigger-long-running-operation', { duration: 60, steps: 2 })
    expect(result).toMatchObject({ outcome: 'timeout', message: expect.stringContaining('within 1 seconds') })
  })

  test('have their standard error logged at debug level', () => {
    expect(bench.logged('MCP server stderr')[0]).toMatchObject({
      level: 'debug',
      mcpServer: 'everything',
      stderr: 'Starting default (STDIO) server...',
    })
  })
})

describe('a program', () => {
  let bench: McpBench
  const open = async (servers: Record<string, object>, options?: ConstructorParameters<typeof McpBench>[1]) => {
    bench = new McpBench(servers, options)
    await bench.connected()
  }
  const pids = async () => (await bench.ask<{ pids: number[] }>('stub.pids')).pids
  afterEach(() => bench.servers.stop())

  test('gets the run, the call and its idempotency key', async () => {
    await open({ stub: stub() })
    expect(await bench.ask('stub.params', { a: 1 })).toEqual({
      name: 'params',
      arguments: { a: 1 },
      _meta: {
        'runwright/idempotency_key': 'key-1',
        'runwright/run_id': expect.stringMatching(/^run_\w{26}$/),
        'runwright/tool_call_id': 'call_1',
      },
    })
  })

  test('cannot make the service check its schemas, or offer those that are too large', async () => {
    await open({ stub: stub(), hostile: stub('hostile') })
    const input = { a: `${'a'.repeat(28)}!` }
    const plainMs = await cpuOf(() => bench.ask('stub.params', input))
    const cpuMs = await cpuOf(async () => {
      expect(await bench.ask('hostile.params', input)).toMatchObject({ name: 'params', arguments: input })
    })
    expect(cpuMs).toBeLessThan(plainMs * 5 + 50)
    expect(bench.names).not.toEqual(expect.arrayContaining([expect.stringMatching(/deep|large/)]))
    expect(bench.names).toContain('hostile.params')
    const warnings = bench.logged('MCP server does not match its config').flatMap((line) => line.warnings)
    expect(warnings).toContain('Tools whose input schema is too large or too deep are ignored: "deep", "large".')
  })

  test('is notified when a call is aborted', async () => {
    await open({ stub: stub() })
    const abort = new AbortController()
    const call = bench.call('stub.hang', {}, { signal: abort.signal })
    await bench.ask('stub.params')
    abort.abort()
    expect(await call).toEqual({ outcome: 'aborted' })
    expect(await bench.ask('stub.cancelled')).toEqual({ cancelled: [expect.any(Number)] })
  })

  test('that is killed in mid-call fails the call at once, is started again and works again', async () => {
    await open({ stub: stub() })
    const [pid = 0] = await pids()
    const call = bench.call('stub.hang')
    await bench.ask('stub.params')
    process.kill(pid, 'SIGKILL')
    const lost = 'The MCP server "stub" disconnected during the call (its program was ended by SIGKILL).'
    expect(await call).toEqual({ outcome: 'failed', message: lost })
    expect(await bench.call('stub.params')).toEqual({
      outcome: 'failed',
      noEffect: true,
      message:
        'The MCP server "stub" is not connected (its program was ended by SIGKILL). The service keeps reconnecting; try again later.',
    })
    expect(bench.names).toContain('stub.params')
    await bench.connected(2)
    expect(await bench.ask('stub.params')).toMatchObject({ name: 'params' })
    expect(await pids()).not.toContain(pid)
  })

  test('that writes without end is started again', async () => {
    await open({ stub: stub() })
    const result = await bench.call('stub.huge')
    expect(result).toMatchObject({ outcome: 'failed', message: expect.stringMatching(/disconnected during the call/) })
    await bench.connected(2)
    expect(await bench.ask('stub.params')).toMatchObject({ name: 'params' })
  })

  test('gets the configured environment and nothing of the environment of the service', async () => {
    const env = {
      PATH: process.env.PATH,
      HOME: '/home/someone',
      DATABASE_URL: 'postgres://secret',
      RUNWRIGHT_ENCRYPTION_KEY: 'secret',
      OPENAI_API_KEY: 'secret',
      TOKEN: 'for-it-alone',
    }
    await open(
      { everything: { ...everything, env: { API_TOKEN: `a ${'$'}{TOKEN}`, PROJECT: 'for it, too' } } },
      { env },
    )
    const text = await bench.ask<string>('everything.get-env')
    expect(JSON.parse(text)).toEqual({ PATH: env.PATH, HOME: env.HOME, API_TOKEN: 'a ***', PROJECT: 'for it, too' })
  })

  test('has exited after stop, together with its child processes, even if they ignore signals', async () => {
    await open({ stub: stub('stubborn') })
    const [pid = 0, started = 0] = await pids()
    expect([pid, started].map(isAlive)).toEqual([true, true])
    await bench.servers.stop()
    expect(isAlive(pid)).toBe(false)
    // Killed, but it is not ours to wait for: the system removes it from the list a moment later.
    await eventually(() => !isAlive(started))
  })

  test('that exits ends its child processes', async () => {
    await open({ stub: stub('stubborn') })
    const [pid = 0, started = 0] = await pids()
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isAlive(started))
  })

  test('can change its tools', async () => {
    await open({ stub: stub() })
    expect(bench.names).not.toContain('stub.grown')
    await bench.ask('stub.grow')
    await eventually(() => bench.names.includes('stub.grown'))
  })

  test('is asked for all pages of its list, up to 500 tools', async () => {
    await open({ few: stub('pages=7'), many: stub('pages=600') })
    await bench.connected(2)
    expect(bench.names.filter((name) => name.startsWith('few.'))).toHaveLength(7)
    expect(bench.names.filter((name) => name.startsWith('many.'))).toHaveLength(500)
  })

  test('may know only the newest handshake', async () => {
    await open({ stub: stub('modern') })
    expect(await bench.ask('stub.params', { a: 1 })).toMatchObject({ arguments: { a: 1 } })
    await bench.ask('stub.grow')
  })

  test('offers only the tools that the config allows', async () => {
    await open({ stub: { ...stub(), allow: ['params', 'pids', 'gone'], deny: ['pids'] } })
    expect(bench.names).toEqual(['stub.params'])
    expect(await bench.call('stub.pids')).toMatchObject({ outcome: 'failed' })
  })

  test('that does not match its config is logged once', async () => {
    await open({ stub: { ...stub(), deny: ['typo'] } })
    await bench.ask('stub.grow')
    await eventually(() => bench.names.includes('stub.grown'))
    expect(bench.logged('MCP server does not match its config')).toMatchObject([
      {
        warnings: [
          'Tools with unsupported names are ignored: "a name with spaces".',
          'The config names tools that the server does not have: "typo".',
        ],
      },
    ])
  })
})

describe('a server that is not connected', () => {
  let bench: McpBench
  afterEach(() => bench.servers.stop())

  const reasons: [string, object, string][] = [
    ['has no program', { command: 'no-such-program-anywhere' }, 'its program did not start: ENOENT'],
    ['ends at once', { command: process.execPath, args: ['-e', 'process.exit(3)'] }, 'its program exited with code 3'],
    ['never answers', stub('mute'), 'it did not respond in time'],
  ]
  test.each(reasons)('because it %s is logged once, and does not affect the others', async (_, server, reason) => {
    bench = new McpBench({ broken: { ...server, allow: ['tool'] }, stub: stub() }, { responseTimeoutMs: 1_500 })
    const call = bench.call('broken.tool')
    await bench.connected()
    expect(await bench.ask('stub.params')).toMatchObject({ name: 'params' })
    expect(await bench.away()).toMatchObject({ level: 'warn', mcpServer: 'broken', reason })
    const message = `The MCP server "broken" is not connected (${reason}). The service keeps reconnecting; try again later.`
    expect(await call).toEqual({ outcome: 'failed', message, noEffect: true })
    expect(bench.logged('MCP server not connected')).toHaveLength(1)
  })

  test('may have any tool until it has listed those it has', async () => {
    bench = new McpBench({ broken: { command: 'no-such-program-anywhere', deny: ['bad'] } })
    expect(await bench.call('broken.anything')).toMatchObject({ message: expect.stringContaining('is not connected') })
    expect(await bench.call('broken.bad')).toMatchObject({ message: 'Unknown tool: "broken.bad".' })
    expect(bench.names).toEqual([])
  })

  test('is retried forever, and logged once', async () => {
    const args = ['-e', 'console.error("one more try"); process.exit(3)']
    bench = new McpBench({ broken: { command: process.execPath, args } })
    await bench.logs('MCP server stderr', 3)
    expect(bench.logged('MCP server not connected')).toHaveLength(1)
  })

  test('is logged without the arguments of its program', async () => {
    bench = new McpBench({ broken: { command: 'no-such-program-anywhere', args: ['--token', 'very-secret'] } })
    expect(JSON.stringify(await bench.away())).not.toContain('very-secret')
  })

  test('is known by the tools that the config allows', () => {
    bench = new McpBench({ broken: { command: 'no-such-program-anywhere', allow: ['a', 'b', 'c'], deny: ['b'] } })
    expect(bench.names).toEqual(['broken.a', 'broken.c'])
  })

  test('lets a call wait for its first try', async () => {
    bench = new McpBench({ stub: { ...stub(), allow: ['params'] } })
    expect(await bench.call('stub.params')).toMatchObject({ outcome: 'succeeded' })
  })

  test('is stopped while it is being tried', async () => {
    bench = new McpBench({ mute: stub('mute') }, { responseTimeoutMs: 600_000 })
    await bench.logs('MCP server stderr')
    await bench.servers.stop()
    expect(bench.logged('MCP server not connected')).toEqual([])
  })
})
