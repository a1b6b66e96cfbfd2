import { expect, test } from 'vitest'
import { StdioTransport } from './stdio-transport.ts'

test('a message to a program that is exiting fails when it is known how the program has exited', async () => {
  const script = 'exec 0<&-; echo closed >&2; sleep 0.1; echo broken >&2; exit 3'
  const lines: string[] = []
  const isClosed = new AbortController()
  const transport = new StdioTransport({
    endpoint: {
      kind: 'stdio',
      command: 'sh',
      args: ['-c', script],
      env: { PATH: process.env.PATH ?? '' },
      cwd: undefined,
    },
    onStderrLine: (line) => {
      lines.push(line)
      isClosed.abort()
    },
    onSentLate: () => undefined,
  })
  await transport.start()
  if (!isClosed.signal.aborted) await new Promise((resolve) => isClosed.signal.addEventListener('abort', resolve))

  await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toThrow('EPIPE')
  expect(transport.exitReason).toBe('its program exited with code 3')
  expect(lines).toEqual(['closed', 'broken'])
})
