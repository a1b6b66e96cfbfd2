// What the tests of a file share: one service, one browser, and people in front of the console who leave after each
// test.
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { sharedBrowser, Visitor } from './visitor.ts'

export interface Arrival {
  readonly hash?: string
  readonly key?: string
  readonly options?: BrowserContextOptions
  /** What happens to the page before it is loaded, such as a route. */
  readonly prepare?: (visitor: Visitor) => Promise<unknown>
}

export interface OpenConsole {
  readonly service: Service
  readonly caller: Caller
  readonly driver: Driver
  /** A person who is signed in for this tab, at a page of the console. */
  arrive(arrival?: Arrival): Promise<Visitor>
  /** A person who has yet to sign in. */
  arriveSignedOut(options?: BrowserContextOptions): Promise<Visitor>
}

/** Called once, at the top of a file of tests. */
export async function openConsole(
  env: Record<string, string> = {},
  serviceOptions: ServiceOptions = {},
): Promise<OpenConsole> {
  const [service, browser] = await Promise.all([startService(env, serviceOptions), sharedBrowser()])
  const visitors: Visitor[] = []
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) await visitor.leave()
  })
  afterAll(() => service.stop())
  const enter = async (options?: BrowserContextOptions) => {
    const visitor = await Visitor.enter(browser, service.url, options)
    visitors.push(visitor)
    return visitor
  }
  return {
    service,
    caller: new Caller(service.url, service.key),
    driver: new Driver(service.database),
    arrive: async ({ hash = '#/runs', key = service.key, options, prepare }: Arrival = {}) => {
      const visitor = await enter(options)
      await visitor.bringKey(key)
      await prepare?.(visitor)
      await visitor.goTo(hash)
      return visitor
    },
    arriveSignedOut: async (options) => {
      const visitor = await enter(options)
      await visitor.goTo('')
      return visitor
    },
  }
}
