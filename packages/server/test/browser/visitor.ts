// A person in front of the console: a real Chromium, watched for requests that leave the service and for complaints of
// the browser.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumPath } from './chromium-path.ts'

/** None of the package's own arguments: they turn off the web security that is to be seen at work. */
export const launchBrowser = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] })

let shared: Promise<Browser> | undefined

/** One for all files of a test process. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser()
  return shared
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

interface AxeFinding {
  readonly id: string
  readonly html: readonly string[]
}

/** Elements that are wider than the screen, except inside regions that scroll by themselves. */
const elementsTooWide = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth && !element.closest('section[tabindex], [role=group][tabindex]'))
  .map((element) => element.outerHTML)`

export const phone: BrowserContextOptions = { viewport: { width: 360, height: 740 } }

export class Visitor {
  readonly page: Page
  readonly #url: string
  readonly requests: string[] = []
  readonly #complaints: string[] = []

  constructor(page: Page, url: string) {
    this.page = page
    this.#url = url
    // A limit for what never comes: on a busy machine, an answer with its five seconds to undo takes more than ten.
    page.setDefaultTimeout(30_000)
    page.on('request', (request) => this.requests.push(request.url()))
    page.on('pageerror', (error) => this.#complaints.push(error.message))
    page.on('console', (message) => {
      // A refusal of the service is noted by the browser too, and is no fault of the page.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) this.#complaints.push(message.text())
    })
  }

  /** With an empty page. */
  static async enter(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options })
    return new Visitor(await context.newPage(), url)
  }

  /** Leaves the key where the console keeps it for this tab: signing in by the form has tests of its own. */
  async bringKey(key: string): Promise<void> {
    await this.page.goto(`${this.#url}/health/live`)
    await this.page.evaluate(`sessionStorage.setItem('runwright.api-key', ${JSON.stringify(key)})`)
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByLabel('API key').fill(key)
    await this.page.getByRole('button', { name: 'Sign in' }).click()
  }

  /** To a page of the console by its address. If the console is open, it is not loaded again. */
  async goTo(hash: string): Promise<void> {
    await this.page.goto(`${this.#url}/console/${hash}`)
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  async seesHeading(name: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name }).waitFor()
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click()
  }

  /** The buttons of the answer come after what led to the question. */
  async canAnswer(): Promise<void> {
    const answer = this.page.getByRole('region', { name: /^Answer to the questions?$/ })
    await answer.getByRole('button').first().waitFor()
  }

  /** Screen by screen: arguments count as shown after half a second in view. */
  async showsAllArguments(): Promise<void> {
    await this.canAnswer()
    const showAll = this.page.getByRole('button', { name: 'Show all first' })
    // Not by the mouse: that scrolls to the button, which goes away as soon as the arguments above it are in view.
    const showMore = () =>
      showAll.evaluateAll((buttons: { click(): void }[]) => {
        buttons[0]?.click()
        return buttons.length
      })
    await expect.poll(showMore, { interval: 600, timeout: 30_000 }).toBe(0)
  }

  /** Does something, and checks that the page has not scrolled. */
  async doesNotScroll(action: () => Promise<unknown>): Promise<void> {
    const before = await this.page.evaluate('scrollY')
    await action()
    expect(await this.page.evaluate('scrollY')).toBe(before)
  }

  async hasNoAxeFindings(): Promise<void> {
    expect(await this.#axeFindings()).toEqual([])
  }

  /** On the page as it is now, wide and narrow, light and dark. Only colors differ in the dark. */
  async axeFindingsInAnyLook(): Promise<AxeFinding[]> {
    const findings: AxeFinding[] = []
    for (const width of [1440, 390]) {
      await this.page.setViewportSize({ width, height: 900 })
      await this.page.emulateMedia({ colorScheme: 'light' })
      findings.push(...(await this.#axeFindings()))
      await this.page.emulateMedia({ colorScheme: 'dark' })
      findings.push(...(await this.#axeFindings(['color-contrast'])))
    }
    return findings
  }

  /** Wide in light, narrow in dark, for states that differ little in their look. */
  async axeFindingsInOppositeLooks(): Promise<AxeFinding[]> {
    const findings: AxeFinding[] = []
    for (const [width, colorScheme] of [[1440, 'light'] as const, [390, 'dark'] as const]) {
      await this.page.setViewportSize({ width, height: 900 })
      await this.page.emulateMedia({ colorScheme })
      findings.push(...(await this.#axeFindings()))
    }
    return findings
  }

  /** Of all rules of axe, or of some. */
  async #axeFindings(rules?: readonly string[]): Promise<AxeFinding[]> {
    const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
    if (!(await this.page.evaluate('"axe" in globalThis'))) await this.page.evaluate(axeSource)
    const { violations } = (await this.page.evaluate(`axe.run(${options})`)) as AxeResults
    return violations.map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html) }))
  }

  async fitsOnScreen(): Promise<void> {
    expect(await this.page.evaluate(elementsTooWide)).toEqual([])
  }

  /** For looking at the page while working on it: nothing is written unless SHOTS names a folder. */
  async takePicture(name: string): Promise<void> {
    const folder = process.env.SHOTS
    if (folder) await this.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }

  /** Nothing left the service, and the browser had nothing to complain about, such as a breach of the policy. */
  async leave(): Promise<void> {
    // An answer of a test's own must not outlive the page.
    await this.page.unrouteAll({ behavior: 'wait' })
    await this.page.context().close()
    const { origin } = new URL(this.#url)
    expect(this.requests.filter((request) => new URL(request).origin !== origin)).toEqual([])
    expect(this.#complaints).toEqual([])
  }
}
