// `npm run screenshots`: starts a service with the sandbox on a temporary data folder, plays the example courses, and
// writes a picture of every page of the console to docs/images. Names are fixed: the docs use them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from './launch-chromium.mjs'
import { withPalette } from './palette-png.mjs'
import { blankShare, mostBlank } from './picture-content.mjs'
import { fillService } from './screenshots-data.mjs'
import { startDemo } from './screenshots-service.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

const folder = join(projectRoot, 'docs/images')
const size = { width: 1280, height: 800 }
const phoneWidth = 390

/** Opens pages of the console in one browser context, and takes pictures of them. */
class Photographer {
  #page
  #url

  constructor(page, url) {
    this.#page = page
    this.#url = url
  }

  static async arrive(browser, { url, key }, colorScheme = 'light') {
    const context = await browser.newContext({ viewport: size, colorScheme, locale: 'en-GB', timezoneId: 'UTC' })
    // A headless browser blocks notifications, and the inbox would say so.
    await context.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'default' }))
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    const photographer = new Photographer(page, url)
    await page.goto(`${url}/console`)
    await page.getByLabel('API key').waitFor()
    if (colorScheme === 'light') await photographer.take('console-sign-in', { height: 560 })
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    return photographer
  }

  /** Waits for a text that the page has only when it is complete. */
  async open(hash, text) {
    // Another page of the console stays visible while the next one loads, and may have the text, too.
    await this.#page.goto('about:blank')
    await this.#page.goto(`${this.#url}/console/${hash}`)
    await this.#page.getByText(text).filter({ visible: true }).first().waitFor()
  }

  press(name) {
    return this.#page.getByText(name).first().click()
  }

  /** Moves an element to the top. */
  show(role, name) {
    const element = this.#page.getByRole(role, { name }).first()
    return element.evaluate((found) => found.scrollIntoView())
  }

  async openDocs() {
    await this.#page.goto(`${this.#url}/docs`)
    await this.#page.getByRole('heading', { level: 1 }).waitFor()
  }

  async take(name, { height = size.height, width = size.width } = {}) {
    await this.#page.setViewportSize({ width, height })
    await this.#page.mouse.move(0, 0)
    await this.#page.waitForFunction(
      () =>
        document.querySelector('[aria-busy=true]') === null &&
        [...document.querySelectorAll('[role=status]')].every(
          ({ textContent }) => !textContent.startsWith('Loading'),
        ) &&
        // Arguments count as shown a moment after they are in view.
        [...document.querySelectorAll('button')].every(
          ({ textContent, disabled }) => textContent !== 'Approve' || !disabled,
        ),
    )
    // Fonts and charts are drawn in the frame after the next.
    await this.#page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    const picture = withPalette(await this.#page.screenshot({ animations: 'disabled', caret: 'hide' }))
    if (blankShare(picture) > mostBlank) throw new Error(`${name}.png is almost empty: the page had not loaded.`)
    writeFileSync(join(folder, `${name}.png`), picture)
    console.log(`${name}.png  ${(picture.length / 1000).toFixed(0)} kB`)
    await this.#page.setViewportSize(size)
  }
}

async function takePictures(browser, service, { runs, decision }) {
  const photographer = await Photographer.arrive(browser, service)
  const at = (id, tab) => `#/runs/${id}${tab ? `?tab=${tab}` : ''}`
  const shots = [
    ['console-runs', '#/runs', 'Order 24 office chairs', {}],
    ['console-inbox', '#/inbox', 'with exactly these arguments', { height: 1_060 }],
    ['console-approval', at(runs.waiting), 'So far', { height: 960 }],
    ['console-run', at(runs.done), 'Delivery within 8 working days', { height: 860 }],
    ['console-events', at(runs.done, 'events'), 'run.worker.succeeded', { isTab: true, height: 860 }],
    ['console-turns', at(runs.asked, 'turns'), 'openai-compatible', { press: 'turn 2', isTab: true, height: 860 }],
    ['console-failure', at(runs.failed), 'Retry the run', {}],
    ['console-create', '#/create', 'A long text, streamed', {}],
    ['console-usage', '#/usage', 'Tool calls', { height: 960 }],
    ['console-memory', '#/memory', 'Suppliers', {}],
    ['console-keys', '#/keys', 'nightly reports', { height: 640 }],
    ['console-webhooks', '#/webhooks', 'run.worker.succeeded', { press: 'Deliveries' }],
    ['console-agents', '#/agents', 'researcher', {}],
    ['console-system', '#/system', 'Database', { height: 640 }],
  ]
  for (const [name, hash, text, { press, isTab, height }] of shots) {
    await photographer.open(hash, text)
    if (press) await photographer.press(press)
    if (isTab) await photographer.show('tablist', 'Parts of the run')
    await photographer.take(name, { height })
  }
  await photographer.open(at(runs.done, 'result'), 'Approved by')
  await photographer.take('console-steps', { height: 860 })
  await photographer.open(decision, 'Harbor Prints')
  await photographer.take('decision-page', { width: phoneWidth, height: 1_700 })
  await photographer.openDocs()
  await photographer.take('docs')
  const inTheDark = await Photographer.arrive(browser, service, 'dark')
  await inTheDark.open(at(runs.waiting), 'So far')
  await inTheDark.take('console-approval-dark', { height: 960 })
}

await runScript(async () => {
  await ensureReady({ forTests: true })
  const service = await startDemo()
  try {
    const { key, ...shown } = await fillService(service)
    const browser = await launchChromium()
    try {
      await takePictures(browser, { url: service.url, key }, shown)
    } finally {
      await browser.close()
    }
  } finally {
    await service.stop()
  }
})
