import { describe, expect, test } from 'vitest'
import { hasTypeOf, isFileType, typeOf } from './file-type.ts'

const files = {
  'image/png': '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
  'image/jpeg': '\xff\xd8\xff\xe0\0\x10JFIF',
  'image/gif': 'GIF89a\x01\0\x01\0',
  'image/webp': 'RIFF\x24\0\0\0WEBPVP8 ',
  'application/pdf': '%PDF-1.7\n',
}
const bytesOf = (text: string) => Buffer.from(text, 'latin1')

describe('the type of a file', () => {
  test.each(Object.entries(files))('%s is known by its first bytes', (type, text) => {
    expect(isFileType(type)).toBe(true)
    const others = Object.keys(files).filter((other) => other !== type)
    expect(hasTypeOf(type, bytesOf(text))).toBe(true)
    expect(others.filter((other) => hasTypeOf(other, bytesOf(text)))).toEqual([])
    expect(typeOf('application/octet-stream', bytesOf(text))).toBe(type)
    expect(typeOf('', bytesOf(text))).toBe(type)
    expect(hasTypeOf(type, bytesOf(text.slice(0, 2)))).toBe(false)
  })

  test('as claimed stays, so that a wrong claim can be refused', () => {
    expect(typeOf('image/gif', bytesOf(files['image/png']))).toBe('image/gif')
    expect(typeOf('image/jpg', bytesOf(files['image/jpeg']))).toBe('image/jpeg')
    expect(typeOf('text/plain', bytesOf(files['image/png']))).toBe('text/plain')
  })

  test('of other bytes stays unknown', () => {
    expect(typeOf('', bytesOf('GIF88a'))).toBe('')
    expect(typeOf('application/octet-stream', bytesOf('RIFF\x24\0\0\0WAVE'))).toBe('application/octet-stream')
    expect(isFileType('toString')).toBe(false)
    expect(hasTypeOf('image/tiff', bytesOf('II*\0'))).toBe(false)
  })
})
