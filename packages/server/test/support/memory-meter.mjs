// A module for `node --import` that measures what a service keeps in memory: on SIGUSR2, it collects garbage and prints
// the bytes of the heap and of buffers.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
let reports = 0

function report() {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  reports += 1
  process.stderr.write(`memory ${reports}: ${heapUsed + external}\n`)
}

if (isMainThread) process.on('SIGUSR2', report)
