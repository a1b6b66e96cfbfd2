// The console in a real Chromium: loading it, an idle page of runs, scrolling a run of 100,000 events, the tree of a
// plan of 200 steps, and a run whose text grows for half an hour.
//
// Options are name=value, such as `npm run bench -- console events=20000 rounds=1 streamMinutes=2`. With rounds=0, only
// the text grows; with streamMinutes=0, it does not.
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { plannerStepId, taskKey } from '../packages/server/dist/domain/run/journal.js'
import { derivedWireId } from '../packages/server/dist/runtime/derived-ids.js'
import { fromWireId } from '../packages/server/dist/runtime/ids.js'
import { launchChromium } from '../scripts/launch-chromium.mjs'
import { startCountingProxy } from './lib/counting-proxy.mjs'
import { report, spread } from './lib/report.mjs'
import { createRun } from './lib/send.mjs'
import { benchKey, startProcess } from './lib/service.mjs'
import { watchStream } from './lib/watch-stream.mjs'

const defaults = {
  ...{ events: 100_000, rounds: 3, idleSeconds: 30, scrollSeconds: 5 },
  ...{ streamMinutes: 30, streamPerSecond: 20 },
}
const listedRuns = 60
const plannedSteps = 200
const body = JSON.stringify({ input: { goal: 'Compare the offers of two suppliers' }, metadata: {} })
const planBody = JSON.stringify({
  input: { goal: 'A long plan' },
  metadata: {},
  plan: {
    steps: Array.from({ length: plannedSteps }, (_, n) => ({ id: `step-${n}`, instruction: `Do part ${n} of it.` })),
  },
})
const speeds = { reading: 3_000, dragging: 60_000 }

export async function run(args) {
  const options = { ...defaults, ...Object.fromEntries(args.map((arg) => arg.split('=')).map(([k, v]) => [k, +v])) }
  const service = await startProcess('./serve.mjs', { args: ['{}'] })
  const proxy = await startCountingProxy(service.url)
  const browser = await launchChromium()
  try {
    const id = await prepare(service, options.rounds > 0 ? options.events : 1)
    const planned = await createRun(service.url, { idempotencyKey: 'planned', body: planBody })
    const rounds = []
    for (let round = 1; round <= options.rounds; round += 1) {
      rounds.push(await measure({ browser, proxy, id, planned, options }))
      console.log(`round ${round}: ${JSON.stringify(rounds.at(-1))}`)
    }
    if (rounds.length > 0) reportRounds(rounds, options)
    if (options.streamMinutes > 0) reportStream(await measureStream({ browser, proxy, service, options }), options)
  } finally {
    await browser.close()
    proxy.stop()
    await service.stop()
  }
}

async function prepare(service, events) {
  for (let number = 1; number < listedRuns; number += 1) {
    await createRun(service.url, { idempotencyKey: `listed-${number}`, body })
  }
  const id = await createRun(service.url, { idempotencyKey: 'long', body })
  // One of them is run.created.
  await service.ask({ what: 'appendDeltas', runId: id, count: events - 1 })
  return id
}

async function measure({ browser, proxy, id, planned, options }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  const page = await context.newPage()
  try {
    const load = await loadConsole(page, proxy)
    const idle = await measureIdle(proxy, options.idleSeconds)
    const openedAt = performance.now()
    await page.goto(`${proxy.url}/console/#/runs/${id}?tab=events`)
    await page.getByText(`${options.events.toLocaleString('en-GB')} events`).waitFor({ timeout: 120_000 })
    const eventsMs = performance.now() - openedAt
    const nodes = await page.locator('*').count()
    const [reading, dragging] = [
      await scroll(page, speeds.reading, options.scrollSeconds),
      await scroll(page, speeds.dragging, options.scrollSeconds),
    ]
    await page.goto(`${proxy.url}/console/#/runs/${planned}?step=step-${plannedSteps - 1}`)
    await page.getByRole('article', { name: `step-${plannedSteps - 1}` }).waitFor()
    const stepNodes = await page.locator('*').count()
    const steps = await scroll(page, speeds.reading, options.scrollSeconds, 'Steps of the run')
    return { ...load, idle, eventsMs, nodes, reading, dragging, stepNodes, steps }
  } finally {
    await context.close()
  }
}

/** Once: it takes long, and says how the page is at its end. */
async function measureStream({ browser, proxy, service, options: { streamMinutes, streamPerSecond } }) {
  const id = await createRun(service.url, { idempotencyKey: 'streamed', body })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  const page = await context.newPage()
  try {
    await loadConsole(page, proxy)
    await page.goto(`${proxy.url}/console/#/runs/${id}`)
    const runId = fromWireId('run', id)
    const taskId = derivedWireId('task', runId, taskKey(1, plannerStepId))
    await service.ask({ what: 'append', runIds: [runId], perSecond: streamPerSecond, taskId })
    await page.getByText('piece 1 of').first().waitFor()
    const samples = await watchStream({ page, proxy, minutes: streamMinutes })
    await service.ask({ what: 'stopAppending' })
    console.log(`streaming: ${JSON.stringify(samples.at(0))} → ${JSON.stringify(samples.at(-1))}`)
    return samples
  } finally {
    await context.close()
  }
}

async function loadConsole(page, proxy) {
  const bytesBefore = proxy.bytes()
  const sizes = []
  page.on('response', (response) => {
    if (/\.(js|css)$/.test(response.url())) sizes.push(response.body().then((body) => gzipSync(body).length))
  })
  const start = performance.now()
  await page.goto(`${proxy.url}/console`)
  await page.getByLabel('API key').fill(benchKey)
  const signInMs = performance.now() - start
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Compare the offers').first().waitFor()
  const runsMs = performance.now() - start
  const code = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { signInMs, runsMs, loadKb: (proxy.bytes() - bytesBefore) / 1000, codeKb: code / 1000 }
}

/** Bytes per second of a page of runs on which nothing happens. */
async function measureIdle(proxy, seconds) {
  // Parts that load after the page do not count.
  await sleep(2_000)
  const before = proxy.bytes()
  await sleep(seconds * 1000)
  return (proxy.bytes() - before) / seconds
}

/** Frames per second, and how long the main thread of the page computed for each, in ms. */
async function scroll(page, pixelsPerSecond, seconds, label = 'Events') {
  const devtools = await page.context().newCDPSession(page)
  // CPU time: unlike frames per second, it does not depend on what else the machine does.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busySeconds = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value
  }
  const before = await busySeconds()
  const frames = await scrollUp(page, { pixelsPerSecond, seconds, label })
  const busyMs = (((await busySeconds()) - before) * 1000) / frames
  await devtools.detach()
  return { fps: frames / seconds, busyMs }
}

/** Scrolls a list up from the end, a little in each frame, from the top again. Returns the number of frames. */
const scrollUp = (page, { pixelsPerSecond, seconds, label }) =>
  page.evaluate(
    ([speed, ms, name]) =>
      new Promise((resolve) => {
        const box = document.querySelector(`section[aria-label="${name}"]`)
        // A person who scrolls leaves the end; a wheel event says so.
        box.scrollTop = box.scrollHeight - box.clientHeight - 200
        box.dispatchEvent(new WheelEvent('wheel', { bubbles: true, deltaY: -200 }))
        let [first, last, frames] = [undefined, undefined, 0]
        const step = (now) => {
          first ??= now
          if (box.scrollTop <= 0) box.scrollTop = box.scrollHeight
          box.scrollTop -= (speed * (now - (last ?? now))) / 1000
          last = now
          if (now - first >= ms) return resolve(frames)
          frames += 1
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    [pixelsPerSecond, seconds * 1000, label],
  )

function reportStream(samples, { streamMinutes, streamPerSecond }) {
  const change = (read, digits) => `${read(samples.at(0)).toFixed(digits)} → ${read(samples.at(-1)).toFixed(digits)}`
  report('console-stream', {
    command: 'console',
    title: `The page of a run whose text grows for ${streamMinutes} min`,
    columns: ['what', 'first → last', 'goal'],
    rows: [
      ['nodes', change(({ nodes }) => nodes), '≤ 1,000'],
      ['frames/s', change(({ fps }) => fps, 1), '≥ 50'],
      ['bytes/s', change(({ bytesPerSecond }) => bytesPerSecond), ''],
      ['memory of its scripts after a collection of garbage, MB', change(({ heapMb }) => heapMb, 1), ''],
    ],
    notes: [
      `${streamPerSecond} events/s, each with a piece of text. The page keeps all events, and shows the end of the text.`,
      `Fewest frames/s of ${samples.length} samples: ${Math.min(...samples.map(({ fps }) => fps)).toFixed(1)}.`,
    ],
  })
}

function reportRounds(rounds, { events, idleSeconds }) {
  const of = (read, digits) => spread(rounds.map(read), digits)
  const many = events.toLocaleString('en-GB')
  report('console', {
    title: `The console, with a run of ${many} events`,
    columns: ['what', 'result', 'goal'],
    rows: [
      ['first load until a key can be entered, ms', of(({ signInMs }) => signInMs), '≤ 1,000'],
      ['the same until the list of runs is shown, ms', of(({ runsMs }) => runsMs), ''],
      ['all of it on the wire, with what is loaded ahead, kB', of(({ loadKb }) => loadKb), ''],
      ['scripts and styles of it, compressed, kB', of(({ codeKb }) => codeKb), '≤ 180'],
      [`an idle page of runs, bytes/s over ${idleSeconds} s`, of(({ idle }) => idle), '≤ 2,000'],
      [`until all ${many} events are there, ms`, of(({ eventsMs }) => eventsMs), ''],
      ['nodes of the page with them', of(({ nodes }) => nodes), ''],
      [`frames/s, scrolling ${speeds.reading} pixels/s`, of(({ reading }) => reading.fps, 1), '≥ 50'],
      ['CPU time of its main thread per frame, ms', of(({ reading }) => reading.busyMs, 1), '≤ 20'],
      [`frames/s, scrolling ${speeds.dragging} pixels/s (dragging the bar)`, of(({ dragging }) => dragging.fps, 1), ''],
      ['CPU time of its main thread per frame, ms', of(({ dragging }) => dragging.busyMs, 1), '≤ 20'],
      [`nodes of the page of a plan of ${plannedSteps} steps`, of(({ stepNodes }) => stepNodes), '≤ 1,000'],
      [`frames/s of its tree, scrolling ${speeds.reading} pixels/s`, of(({ steps }) => steps.fps, 1), '≥ 50'],
      ['CPU time of its main thread per frame, ms', of(({ steps }) => steps.busyMs, 1), '≤ 20'],
    ],
    notes: [
      'Headless Chromium without a GPU, on the same two cores as the service. Its display has 60 frames/s.',
      `The idle page lists 50 of ${listedRuns} runs. Its bytes are those of both directions with headers, counted by a proxy.`,
    ],
  })
}
