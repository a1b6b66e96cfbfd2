// Converts HTML to the text that a reader sees. A page of 1 MiB takes one to two seconds, and a hostile one with tags
// nested 300,000 levels deep takes 90 seconds (measured). So it runs on a worker thread with limits on time and memory,
// and on few threads at once.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { watchDeadline } from '../port/call-deadline.ts'
import { FetchError } from './fetch-error.ts'

const maxHtmlSeconds = 10
const maxHtmlDepth = 250
const maxThreads = 4
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 }

interface Page {
  /** The base URL of relative links. */
  readonly url: URL
  readonly signal: AbortSignal
  readonly maxSeconds?: number
}

export async function htmlToText(html: string, page: Page): Promise<string> {
  await acquireThread()
  try {
    page.signal.throwIfAborted()
    return await convert(html, page)
  } finally {
    releaseThread()
  }
}

let freeThreads = maxThreads
const waiting: (() => void)[] = []

async function acquireThread(): Promise<void> {
  if (freeThreads === 0) return new Promise((resolve) => void waiting.push(resolve))
  freeThreads -= 1
}

function releaseThread(): void {
  const next = waiting.shift()
  if (next) next()
  else freeThreads += 1
}

async function convert(html: string, { url, signal, maxSeconds = maxHtmlSeconds }: Page): Promise<string> {
  const deadline = watchDeadline(signal, maxSeconds)
  const workerData = { html, url: url.href, maxDepth: maxHtmlDepth }
  const worker = new Worker(new URL('./html-worker.mjs', import.meta.url), { workerData, resourceLimits })
  // After the deadline nothing else handles errors.
  worker.on('error', () => undefined)
  try {
    const [text] = await once(worker, 'message', { signal: deadline.signal })
    return text
  } catch {
    throw new FetchError('The HTML could not be converted to text: it has too many tags, or they nest too deeply.')
  } finally {
    deadline.release()
    await worker.terminate()
  }
}
