// One customer fetches pages that take long to read. Another one has one short page.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PretendWeb, page, startPretendWeb } from '../support/pretend-web.ts'
import { toolContext } from '../support/tool-context.ts'

let web: PretendWeb
beforeAll(async () => {
  web = await startPretendWeb()
})
afterAll(() => web.stop())

test('sixteen pages of tags do not delay the page of another customer by more than those under way', async () => {
  web.pages.set('/hostile', page('text/html', '<p>x'.repeat(500)))
  web.pages.set('/short', page('text/html', '<p>Hello'))
  const order: string[] = []
  const fetch = async (customerId: string, path: string) => {
    const answer = await web.tool.run({ url: `http://shop.example${path}` }, toolContext({ customerId }))
    order.push(customerId)
    return answer
  }
  const attack = Array.from({ length: 16 }, () => fetch('attacker', '/hostile'))
  await Promise.race(attack)
  expect(await fetch('neighbour', '/short')).toMatchObject({ body: 'Hello' })
  const before = order.indexOf('neighbour')
  await Promise.all(attack)
  // The first one, the four under way, and those that end while the short page is read.
  expect(before).toBeLessThan(12)
}, 120_000)
