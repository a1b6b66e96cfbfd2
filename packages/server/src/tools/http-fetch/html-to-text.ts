// Converts HTML to the text that a reader sees. A page of 1 MiB takes one to two seconds, and a hostile one with tags
// nested 300,000 levels deep takes 90 seconds (measured). So it runs on a worker thread with limits on time and memory,
// and on few threads at once, for which customers take turns.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairSlots } from '../../runtime/fair-slots.ts'
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
  /** Customers take turns. */
  readonly customerId: string
  readonly maxSeconds?: number
}

const threads = new FairSlots(maxThreads)

export const htmlToText = (html: string, page: Page): Promise<string> =>
  threads.run(page.customerId, async () => {
    page.signal.throwIfAborted()
    return convert(html, page)
  })

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
