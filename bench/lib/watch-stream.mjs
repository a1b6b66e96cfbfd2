// The page of a run whose text grows for a long time: nodes, frames, bytes, and the memory of the page after a
// collection of garbage.
import { setTimeout as sleep } from 'node:timers/promises'

const frameSeconds = 3

/** Samples at the beginning and then every few seconds, the last one at the end. */
export async function watchStream({ page, proxy, minutes, everySeconds = 10 }) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const end = performance.now() + minutes * 60_000
  const samples = []
  do {
    samples.push(await sample({ page, devtools, proxy }))
    await sleep(Math.max(0, Math.min(everySeconds * 1000, end - performance.now()) - frameSeconds * 1000))
  } while (performance.now() < end)
  samples.push(await sample({ page, devtools, proxy }))
  await devtools.detach()
  return samples
}

async function sample({ page, devtools, proxy }) {
  const [bytes, at] = [proxy.bytes(), performance.now()]
  const fps = (await page.evaluate(countFrames, frameSeconds * 1000)) / frameSeconds
  const bytesPerSecond = ((proxy.bytes() - bytes) * 1000) / (performance.now() - at)
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const heapMb = metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 1e6
  return { fps, bytesPerSecond, heapMb, nodes: await page.locator('*').count() }
}

const countFrames = (ms) =>
  new Promise((resolve) => {
    let [first, frames] = [undefined, 0]
    const step = (now) => {
      first ??= now
      if (now - first >= ms) return resolve(frames)
      frames += 1
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
