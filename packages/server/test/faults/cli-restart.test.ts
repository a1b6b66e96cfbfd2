// `runwright watch` while the service is killed and started again.
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliProcess, cli, environmentOf } from '../support/cli.ts'
import { type HostedFleet, startFleet } from '../support/processes.ts'

let hosted: HostedFleet
beforeAll(async () => {
  hosted = await startFleet()
})
afterAll(() => hosted.close())

/** The service must come back at the same address. */
const freePort = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(String(port)))
    })
  })

test('says that it reconnects, and shows the rest once', { timeout: 180_000 }, async () => {
  const { fleet } = hosted
  const settings = { RUNWRIGHT_PORT: await freePort() }
  const first = await fleet.start('start', settings)
  const plan = {
    steps: [
      { id: 'gate', await_input: { prompt: 'Go on?' } },
      { id: 'end', instruction: 'End.' },
    ],
  }
  const { id } = await fleet.caller(first).newRun({ input: { sandbox: { steps: [{ say: 'All done.' }] } }, plan })
  const env = environmentOf({ url: first.url, key: fleet.key })
  const watching = new CliProcess(['watch', id], env)
  await watching.says(/--await-seq/)

  await first.kill()
  await watching.says(/The service does not respond\. Reconnecting…\n/)
  await fleet.start('start', settings)
  expect(await cli(['signal', id, 'approve'], env)).toMatchObject({ code: 0 })

  const { code, stdout, stderr } = await watching.finished
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'All done.\n' })
  expect(stderr.match(/Connected again\./g)).toHaveLength(1)
  expect(stderr.match(/│ Go on\?/g)).toHaveLength(1)
  expect(stderr.match(/^end │ All done\.$/gm)).toHaveLength(1)
})
