// The model that comes with the service: the Universal Sentence Encoder (lite, English), with its weights out of npm. It is
// loaded when it is first asked, in a thread of its own, and asks nobody.
import { Worker } from 'node:worker_threads'
import { type Embedder, normalize } from './embedder.ts'

type Answer =
  | { readonly number: number; readonly vectors: Float32Array[] }
  | { readonly number: number; readonly problem: string }

interface Asked {
  resolve(vectors: Float32Array[]): void
  reject(error: Error): void
}

export class OfflineEmbedder implements Embedder {
  readonly model = 'offline/use-lite-en'
  readonly dimensions = 512
  #worker: Worker | undefined
  #asked = new Map<number, Asked>()
  #questions = 0

  /** A thread can't be interrupted: whoever no longer wants the answer just does not wait for it. */
  embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return Promise.resolve([])
    const worker = this.#worker ?? this.#start()
    this.#questions += 1
    const number = this.#questions
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject })
      // Only who waits for an answer keeps the process alive.
      worker.ref()
      worker.postMessage({ number, texts })
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#forget(new Error('the embedding model was closed'))
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./offline-worker.mjs', import.meta.url))
    worker.on('message', (answer: Answer) => this.#take(answer))
    // The next question starts another one.
    worker.on('error', (error) => this.#forget(error))
    worker.on('exit', (code) => this.#worker === worker && this.#forget(new Error(`the model's thread ended: ${code}`)))
    this.#worker = worker
    return worker
  }

  #take(answer: Answer): void {
    const asked = this.#asked.get(answer.number)
    this.#asked.delete(answer.number)
    if (this.#asked.size === 0) this.#worker?.unref()
    if ('problem' in answer) asked?.reject(new Error(answer.problem))
    else asked?.resolve(answer.vectors.map(normalize))
  }

  #forget(error: Error): void {
    const asked = this.#asked
    this.#asked = new Map()
    this.#worker = undefined
    for (const { reject } of asked.values()) reject(error)
  }
}
