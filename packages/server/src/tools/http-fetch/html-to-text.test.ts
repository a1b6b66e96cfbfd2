import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { htmlToText } from './html-to-text.ts'

const url = new URL('https://shop.example/list/?page=2')
const read = (html: string, signal = new AbortController().signal): Promise<string> =>
  htmlToText(html, { url, signal, customerId: 'acme' })

test('a page reads as a person sees it', async () => {
  const html = `<!doctype html><html><head><title>Our &amp; your shop</title><style>p { color: red }</style></head>
    <body><h1>Fruit</h1><p>Fresh<br>every  day, <b>always</b>.</p><script>track()</script>
    <ul><li>Apples</li><li>Pears<ul><li>green</li></ul></li></ul><ol><li>Choose</li><li>Pay</li></ol>
    <table><tr><th>Kind</th><th>Price</th></tr><tr><td>Apple</td><td>2 €</td></tr></table>
    <!-- not for you --><pre>  a
    b</pre><img src="data:image/png;base64,AAAA" alt="A pear"></body></html>`
  expect((await read(html)).split('\n').map((line) => line.trimEnd())).toEqual([
    ...['Our & your shop', '', 'Fruit', '', 'Fresh', 'every day, always.', ''],
    ...[' * Apples', ' * Pears', '   * green', '', ' 1. Choose', ' 2. Pay', ''],
    ...['Kind | Price |', 'Apple | 2 € |', '', '  a', '    b', '', 'A pear'],
  ])
})

describe('a link', () => {
  test.each([
    ['is shown in full', '<a href="/cart?x=1">Cart</a>', 'Cart [https://shop.example/cart?x=1]'],
    ['is relative to the page', '<a href="pears">Pears</a>', 'Pears [https://shop.example/list/pears]'],
    ['to elsewhere stays', '<a href="http://b.example">B</a>', 'B [http://b.example/]'],
    ['that is its own text stands once', '<a href="https://b.example/">https://b.example/</a>', 'https://b.example/'],
    ['within the page is text', '<a href="#top">Up</a>', 'Up'],
    ['that is a script is text', '<a href="javascript:alert(1)">Go</a>', 'Go'],
    ['to somebody is text', '<a href="mailto:a@b.example">Write</a>', 'Write'],
    ['to nowhere is text', '<a href="http://[">Odd</a> <a>None</a>', 'Odd None'],
  ])('%s', async (_case, html, text) => {
    expect(await read(html)).toBe(text)
  })
})

test.each([
  '<script>x</script>',
  '<script>x',
  '<style>x</style>',
  '<template>x</template>',
  '<svg><title>x</title><text>x</text></svg>',
  '<iframe>x</iframe>',
  '<object>x</object>',
  '<p hidden>x</p>',
  '<div style="color:red; DISPLAY:none"><p>x</p></div>',
  '<span style="display: none">x</span>',
  '<span style="visibility: hidden">x</span>',
  '<!-- x -->',
])('invisible content is omitted: %s', async (html) => {
  expect(await read(`<p>seen</p>${html}`)).toBe('seen')
})

test.each([
  ['without tags', 'just & text', 'just & text'],
  ['without a body', '<title>T</title><p>text', 'T\n\ntext'],
  ['that is cut', '<p>text <b', 'text'],
  ['that is empty', '<html></html>', ''],
])('a page %s is still converted', async (_case, html, text) => {
  expect(await read(html)).toBe(text)
})

describe('a hostile page', () => {
  const fill = (text: string) => text.repeat((1024 * 1024) / text.length)

  test('with deep nesting fails in time, and other pages do not wait', async () => {
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()
    const page = { url, signal: new AbortController().signal, customerId: 'acme', maxSeconds: 0.5 }
    await expect(htmlToText(fill('<b>'), page)).rejects.toThrow('nest too deeply')
    delay.disable()
    expect(delay.max / 1e6).toBeLessThan(1000)
  })

  test('by a table that would be padded without end is read', async () => {
    const cell = `<td>${'x'.repeat(100_000)}</td>`
    const text = await read(
      `<table><tr>${cell}</tr>${'<tr><td colspan=1000000 rowspan=1000000>y</td></tr>'.repeat(5000)}`,
    )
    expect(text.length).toBeLessThan(200_000)
  })

  test.each(['<', '&', '&amp', '<!--', '</p>', '<a href='])('by %s over and over is read', async (text) => {
    expect((await read(fill(text))).length).toBeLessThanOrEqual(1024 * 1024)
  })

  test('is cut at the maximum depth with an ellipsis', async () => {
    const text = await read(`<p>start</p>${'<div>'.repeat(300)}deep${'</div>'.repeat(300)}<p>end</p>`)
    expect(text.split(/\s+/)).toEqual(['start', '…', 'end'])
  })
})

describe('an abort', () => {
  test('ends the work', async () => {
    const controller = new AbortController()
    const reading = read('<b>'.repeat(300_000), controller.signal)
    controller.abort()
    await expect(reading).rejects.toThrow()
  })

  test('of all waiting pages frees the threads', async () => {
    const controller = new AbortController()
    const readings = Array.from({ length: 20 }, () => read('<b>'.repeat(300_000), controller.signal))
    controller.abort()
    await Promise.allSettled(readings)
    expect(await read('<p>next')).toBe('next')
  })
})
