import { describe, expect, test } from 'vitest'
import { readDataUrl } from './data-url.ts'

const read = (url: string) => {
  const data = readDataUrl(url)
  return typeof data === 'string' ? data : [data.contentType, data.bytes.toString('latin1')]
}

describe('a data: URL', () => {
  test.each([
    ['data:text/plain;base64,aGVsbG8=', ['text/plain', 'hello']],
    ['data:text/csv,a%2Cb%0A1%2C2', ['text/csv', 'a,b\n1,2']],
    ['DATA:image/png;BASE64,iVBORw==', ['image/png', '\x89PNG']],
    ['data:application/json;charset=utf-8,{"a":1}', ['application/json;charset=utf-8', '{"a":1}']],
    ['data:,x', ['text/plain;charset=us-ascii', 'x']],
    ['data:;charset=utf-8,x', ['text/plain;charset=utf-8', 'x']],
    ['data:;base64,aGk=', ['text/plain;charset=us-ascii', 'hi']],
    ['data:text/plain,a,b;base64', ['text/plain', 'a,b;base64']],
    ['data:text/plain,', ['text/plain', '']],
  ])('%s', (url, expected) => expect(read(url)).toEqual(expected))

  test.each([
    ['data:text/plain', 'comma'],
    ['data:text/plain;base64,aGVsbG8', 'base64'],
    ['data:text/plain;base64,aGVs bG8=', 'base64'],
    ['data:text/plain;base64,aGVs-_8=', 'base64'],
    ['data:text/plain;base64,aGVs***8=', 'base64'],
    ['data:text/plain;base64,aGVsbG8%3D', 'base64'],
    ['data:text/plain,100%', 'percent'],
    ['data:text/plain,100%zz', 'percent'],
    ['data:text/plain,über', 'percent'],
    ['data:text/plain,two words', 'percent'],
  ])('that is not valid: %s', (url, word) => {
    const problem = readDataUrl(url)
    expect(problem).toBeTypeOf('string')
    expect(problem).toContain(word)
  })
})
