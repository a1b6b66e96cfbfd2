// @ts-check
// A program for tests of threads: does what each job says.
import { parentPort } from 'node:worker_threads'

/** @typedef {'echo' | 'hang' | 'exit' | 'throw' | 'fill'} Deed */
/** @typedef {{ readonly do: Deed } | { readonly hold: SharedArrayBuffer }} Job */

const deeds = {
  echo: () => 'done',
  hang: () => {
    for (;;);
  },
  exit: () => process.exit(1),
  throw: () => {
    throw new Error('on purpose')
  },
  fill: () => {
    const kept = []
    for (;;) kept.push(new Array(1_000).fill(kept.length))
  },
}

parentPort?.on('message', (/** @type {Job} */ job) => {
  parentPort?.postMessage('started')
  if ('hold' in job) Atomics.wait(new Int32Array(job.hold), 0, 0)
  parentPort?.postMessage('hold' in job ? 'released' : deeds[job.do]())
})
