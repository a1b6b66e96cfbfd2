import { expect, test } from 'vitest'
import { Periodic } from './periodic.ts'

test('a job runs again after a failure, and no more after a stop', async () => {
  let runs = 0
  const failures: unknown[] = []
  const { promise: thirdRun, resolve } = withResolvers()
  const job = new Periodic({
    everyMs: 1,
    runOnce: async () => {
      runs += 1
      if (runs === 3) resolve()
      if (runs === 2) throw new Error('once')
    },
    onError: (error) => failures.push(error),
  })
  job.start()
  await thirdRun
  await job.stop()
  const runsAtStop = runs
  await new Promise((done) => setImmediate(done))
  expect(failures).toHaveLength(1)
  expect(runs).toBe(runsAtStop)
})

function withResolvers() {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
