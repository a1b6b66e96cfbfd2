// Starts a service for a benchmark in its own process and data folder, and stops it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const benchKey = 'key_bench:bench-secret-of-no-importance'

/** `script` prints one JSON line when it is ready; the object has a `url` at least. */
export async function startProcess(script, { args = [], env = {} } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
  const child = spawn(process.execPath, [new URL(script, import.meta.url).pathname, ...args], {
    env: { ...process.env, RUNWRIGHT_DATA_DIR: dataDir, ...env },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with code ${code}`))),
  ])
  lines.on('line', () => undefined)
  let questions = 0
  return {
    ...JSON.parse(line),
    pid: child.pid,
    /** Sends a question to the process over its channel. */
    ask: (question) => {
      questions += 1
      const number = questions
      child.send({ number, ...question })
      return new Promise((resolve) => {
        const onMessage = (message) => {
          if (message.number !== number) return
          child.off('message', onMessage)
          resolve(message)
        }
        child.on('message', onMessage)
      })
    },
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
