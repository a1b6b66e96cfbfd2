// The Python client against a service. Skipped where Python or httpx is not installed (Debian: python3-httpx).
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openApiDocument } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderPythonCalls, renderPythonTypes } from '../../../../scripts/python-client.mjs'
import { findPython } from '../support/python.ts'
import { type Service, startService } from '../support/service.ts'

const folder = fileURLToPath(new URL('../../../../clients/python/', import.meta.url))
const python = findPython()

describe('the Python client', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({}, { worker: true })
  })
  afterAll(() => service.stop())

  test('passes its tests', { timeout: 60_000 }, async ({ skip }) => {
    skip(python === undefined, 'needs Python 3.11 and httpx (Debian: python3-httpx)')
    const env = {
      ...process.env,
      RUNWRIGHT_URL: service.url,
      RUNWRIGHT_API_KEY: service.key,
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const args = ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']
    const { stderr } = await promisify(execFile)(python as string, args, { cwd: folder, env })
    expect(stderr).toMatch(/Ran 21 tests[\s\S]*OK/)
  })
})

test.each([
  ['types.py', renderPythonTypes],
  ['_calls.py', renderPythonCalls],
])('runwright/%s is what the OpenAPI document gives; `node scripts/write-docs.mjs` writes it', (file, render) => {
  expect(render(openApiDocument())).toBe(readFileSync(`${folder}runwright/${file}`, 'utf8'))
})
