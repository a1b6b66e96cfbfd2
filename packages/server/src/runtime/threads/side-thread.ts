// A thread beside the event loop, for what must go on while the event loop is busy or blocked. All such programs of a
// process share one thread, which starts with the first of them: a thread takes about 10 MB of memory.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'

// Plain JavaScript, because a thread cannot start from TypeScript sources; the build copies it.
const hostFile = new URL('./side-thread-host.mjs', import.meta.url)

export interface SideThreadOptions {
  /** The thread ended by itself. What it did is not done any more. */
  readonly onFailure: (error: unknown) => void
}

export class SideThread {
  readonly #options: SideThreadOptions
  #worker: Worker | undefined
  #isStopping = false

  constructor(options: SideThreadOptions) {
    this.#options = options
  }

  /**
   * Starts a program in the thread: a module that exports `start(data, port)`. It talks with the program through the
   * port that is returned.
   */
  run(program: URL, data: unknown): MessagePort {
    const { port1, port2 } = new MessageChannel()
    port1.unref()
    this.#worker ??= this.#start()
    this.#worker.postMessage({ program: program.href, data, port: port2 }, [port2])
    return port1
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(hostFile, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
    })
    worker.on('error', (error) => this.#options.onFailure(error))
    worker.on('exit', (code) => {
      if (!this.#isStopping) this.#options.onFailure(new Error(`the side thread ended with code ${code}`))
    })
    // The thread must not keep the process alive.
    worker.unref()
    return worker
  }
}
