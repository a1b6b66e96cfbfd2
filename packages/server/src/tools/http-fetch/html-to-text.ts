// Makes a page into the text that a reader sees. Measured: a page of 1 MiB takes one to two seconds, and one that is made to
// hurt, with tags nested 300,000 deep, a minute and a half. So it is done on a thread that can be ended, with limits on its
// time and memory, and on few threads at once.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { watchDeadline } from '../port/call-deadline.ts'
import { FetchProblem } from './fetch-problem.ts'

const maxHtmlSeconds = 10
const maxHtmlDepth = 250
const maxThreads = 4
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 }

interface Page {
  /** To which links are relative. */
  readonly url: URL
  readonly signal: AbortSignal
  readonly maxSeconds?: number
}

export async function htmlToText(html: string, page: Page): Promise<string> {
  await takeThread()
  try {
    page.signal.throwIfAborted()
    return await convert(html, page)
  } finally {
    giveThreadBack()
  }
}

let freeThreads = maxThreads
const waiting: (() => void)[] = []

async function takeThread(): Promise<void> {
  if (freeThreads === 0) return new Promise((resolve) => void waiting.push(resolve))
  freeThreads -= 1
}

function giveThreadBack(): void {
  const next = waiting.shift()
  if (next) next()
  else freeThreads += 1
}

async function convert(html: string, { url, signal, maxSeconds = maxHtmlSeconds }: Page): Promise<string> {
  const deadline = watchDeadline(signal, maxSeconds)
  const workerData = { html, url: url.href, maxDepth: maxHtmlDepth }
  const worker = new Worker(new URL('./html-worker.mjs', import.meta.url), { workerData, resourceLimits })
  // An error after the deadline has nobody left to hear it.
  worker.on('error', () => undefined)
  try {
    const [text] = await once(worker, 'message', { signal: deadline.signal })
    return text
  } catch {
    throw new FetchProblem('The HTML could not be made into text: its tags are too many or nested too deep.')
  } finally {
    deadline.release()
    await worker.terminate()
  }
}
