// @ts-check
// The thread beside the event loop: starts the programs that it is given.
import { parentPort } from 'node:worker_threads'

/** @typedef {{ program: string, data: unknown, port: import('node:worker_threads').MessagePort }} Job */

parentPort?.on('message', async (/** @type {Job} */ { program, data, port }) => {
  const { start } = await import(program)
  start(data, port)
})
