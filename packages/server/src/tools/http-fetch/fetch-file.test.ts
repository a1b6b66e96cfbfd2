import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PretendWeb, page, redirect, startPretendWeb } from '../../../test/support/pretend-web.ts'

let web: PretendWeb
beforeAll(async () => {
  web = await startPretendWeb()
})
beforeEach(() => web.forget())
afterAll(() => web.stop())

const fetchFile = (url: string, maxBytes = 2_000_000) =>
  web.fetchFile(url, { signal: new AbortController().signal, maxBytes })

describe('a file', () => {
  test('is fetched with its type, after redirects', async () => {
    web.pages.set('/old.png', redirect(302, 'https://cdn.example/new.png'))
    web.pages.set('/new.png', page('image/png', Buffer.from([1, 2, 0, 255])))
    const { contentType, bytes, url } = await fetchFile('https://shop.example/old.png')
    expect([contentType, [...bytes], url.href]).toEqual(['image/png', [1, 2, 0, 255], 'https://cdn.example/new.png'])
    expect(web.requests.map(({ line }) => line)).toEqual(['GET shop.example/old.png', 'GET cdn.example/new.png'])
  })

  test('may be larger than a page that a tool fetches, up to the limit', async () => {
    web.pages.set('/big', page('image/png', Buffer.alloc(1_500_000)))
    expect((await fetchFile('https://shop.example/big')).bytes.length).toBe(1_500_000)
    await expect(fetchFile('https://shop.example/big', 1_499_999)).rejects.toThrow('larger than 1499999 bytes')
  })
})

describe('no request is sent', () => {
  test.each([
    ['without encryption', 'http://shop.example/a.png', 'Only https is allowed'],
    ['to a private address', 'https://169.254.169.254/latest/meta-data', 'not on the public Internet'],
    ['to a private name', 'https://db.internal/a.png', 'not on the public Internet'],
    ['to another port', 'https://shop.example:8443/a.png', 'Port 8443'],
    ['with a password', 'https://me:secret@shop.example/a.png', 'must not contain a user name or password'],
    ['to what is not a URL', 'https://', 'not valid'],
  ])('%s', async (_, url, words) => {
    await expect(fetchFile(url)).rejects.toThrow(words)
    expect(web.requests).toEqual([])
  })

  test('to a name with a private address', async () => {
    web.names.set('shop.example', [['10.0.0.7']])
    await expect(fetchFile('https://shop.example/a.png')).rejects.toThrow('not on the public Internet')
    expect(web.requests).toEqual([])
  })

  test.each([
    ['without encryption', 'http://shop.example/b.png', 'Only https is allowed'],
    ['to a private address', 'https://127.0.0.1/b.png', 'not on the public Internet'],
  ])('after a redirect %s', async (_, location, words) => {
    web.pages.set('/a.png', redirect(302, location))
    await expect(fetchFile('https://shop.example/a.png')).rejects.toThrow(words)
    expect(web.requests.map(({ line }) => line)).toEqual(['GET shop.example/a.png'])
  })
})

test('any status but 2xx is a failure that names it', async () => {
  web.pages.set('/a.png', (_, response) => response.writeHead(404, { 'content-type': 'image/png' }).end('no'))
  await expect(fetchFile('https://shop.example/a.png')).rejects.toThrow('status 404')
})
