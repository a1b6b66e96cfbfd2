import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'

function recorder() {
  const lines: string[] = []
  return { lines, stream: { write: (line: string) => void lines.push(line) } }
}

function logged(write: (logger: ReturnType<typeof createLogger>) => void, level = 'info') {
  const { lines, stream } = recorder()
  write(createLogger({ level, stream }))
  return lines.map((line) => JSON.parse(line))
}

test('a line is JSON with a named level and a time in UTC', () => {
  const [line] = logged((logger) => logger.info({ run_id: 'run_1' }, 'claimed'))
  expect(line).toMatchObject({ level: 'info', run_id: 'run_1', msg: 'claimed' })
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('lines below the level are left out', () => {
  const lines = logged((logger) => {
    logger.info('quiet')
    logger.warn('loud')
  }, 'warn')
  expect(lines.map(({ msg }) => msg)).toEqual(['loud'])
})

test('on a terminal, the turns of a run are told in words, with a link where a person is needed', () => {
  const { lines, stream } = recorder()
  const logger = createLogger({ level: 'info', stream, pretty: true })
  const run = { run_id: 'run_1', customer_id: 'acme', request_id: 'req_1', age_ms: 1_230 }
  const url = 'http://127.0.0.1:8080/console/#/runs/run_1'
  logger.info({ ...run, reason: 'queued' }, 'run claimed')
  logger.info({ ...run, reason: 'input_required', input_kind: 'approval', url }, 'run awaits input')
  logger.warn({ ...run, reason: 'provider_error', url }, 'run failed')
  logger.info({ ...run, reason: 'all_done' }, 'run succeeded')
  logger.info({ run_id: 'run_1' }, 'something else')
  expect(lines.map((line) => line.replace(/^\[[\d:.]+\] /, '').trimEnd())).toEqual([
    'INFO: run_1 starts',
    `INFO: run_1 waits for approval: ${url}`,
    `WARN: run_1 failed after 1.2 s: provider_error: ${url}`,
    'INFO: run_1 succeeded after 1.2 s',
    'INFO: something else {"run_id":"run_1"}',
  ])
})

test.each([
  [{ authorization: 'hunter2' }],
  [{ req: { headers: { Authorization: 'Bearer k:hunter2', 'set-cookie': 'hunter2' } } }],
  [{ client_secret: 'hunter2' }],
  [{ secrets: { encryptionKey: 'hunter2' } }],
  [{ settings: { database: { databaseUrl: 'postgres://u:hunter2@db' } } }],
  [{ keys: [{ id: 'key_1', secret: 'hunter2' }] }],
  [{ deep: { a: { b: { c: { d: { dbPassword: 'hunter2' } } } } } }],
  [Object.assign(Object.create(null), { password: 'hunter2' })],
])('%j is logged without its secret', (fields) => {
  const [line] = logged((logger) => logger.info(fields, 'message'))
  expect(JSON.stringify(line)).toContain('[redacted]')
  expect(JSON.stringify(line)).not.toContain('hunter2')
})

test('a child logger redacts its own fields and those of its lines', () => {
  const [line] = logged((logger) =>
    logger.child({ secret: 'hunter2', key_id: 'key_1' }).info({ a: { secret: 'hunter2' } }),
  )
  expect(line).toMatchObject({ secret: '[redacted]', key_id: 'key_1', a: { secret: '[redacted]' } })
})

test('fields that only look alike are shown', () => {
  const [line] = logged((logger) => logger.info({ apiKeyId: 'key_1', tokens: 3, secretary: 'Ann' }))
  expect(line).toMatchObject({ apiKeyId: 'key_1', tokens: 3, secretary: 'Ann' })
})

test('an error is shown with its stack and without the secrets it carries', () => {
  const error = Object.assign(new Error('boom'), { code: '57P01', config: { password: 'hunter2' } })
  const [line] = logged((logger) => logger.error({ err: error }, 'failed'))
  expect(line.err).toMatchObject({ type: 'Error', message: 'boom', code: '57P01', config: { password: '[redacted]' } })
  expect(line.err.stack).toContain('logger.test')
})

test('sensitive values are removed from messages, fields and errors, whatever their names', () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const logger = createLogger({ level: 'info', stream, scrub: (text) => text.replaceAll('hunter2', '***') })
  const error = Object.assign(new Error('it was hunter2'), { detail: ['hunter2', { deep: 'hunter2' }] })
  logger.warn({ err: error, note: 'hunter2', list: ['a hunter2'] }, 'about hunter2')
  expect(lines.join()).not.toContain('hunter2')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'about ***',
    note: '***',
    list: ['a ***'],
    err: { message: 'it was ***', stack: expect.stringContaining('it was ***'), detail: ['***', { deep: '***' }] },
  })
})

test('a circular object is cut off', () => {
  const loop: Record<string, unknown> = { name: 'loop' }
  loop.self = loop
  const [line] = logged((logger) => logger.info({ loop }))
  expect(JSON.stringify(line)).toContain('[nested too deeply]')
})

test('readable lines show level, message and fields, and no secret', () => {
  const { lines, stream } = recorder()
  createLogger({ level: 'info', stream, pretty: true }).warn({ port: 8080, secret: 'hunter2' }, 'listening')
  expect(lines.join('')).toMatch(/WARN.*listening.*8080/s)
  expect(lines.join('')).not.toContain('hunter2')
})

// Node 20 cannot run TypeScript, so this needs the build, which `npm test` creates first.
const built = fileURLToPath(new URL('../../dist/runtime/logger.js', import.meta.url))

test.skipIf(!existsSync(built))('lines logged just before the process ends are not lost', () => {
  const script = `import { createLogger } from ${JSON.stringify(pathToFileURL(built).href)}
    const logger = createLogger({ level: 'info' })
    for (let index = 0; index < 2000; index++) logger.info({ index })
    process.exit(0)`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(output.trim().split('\n')).toHaveLength(2000)
})
