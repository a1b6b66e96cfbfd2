import type { MemoryItem } from '@runwright/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodePart, pathOf, slugOf } from './path.ts'

const place = { id: 'mem_1', workspace_id: null, subject_id: null, kind: 'fact', title: 'Approval limit' } as MemoryItem

describe('the path of an item', () => {
  test('names workspace, subject and kind, then slug and id', () => {
    expect(pathOf({ ...place, workspace_id: 'acme-finance', subject_id: 'user_42' })).toBe(
      'workspaces/acme-finance/subjects/user_42/fact/approval-limit-mem_1.md',
    )
  })

  test('has _ for no label, and encodes a label _', () => {
    expect(pathOf(place)).toBe('workspaces/_/subjects/_/fact/approval-limit-mem_1.md')
    expect(pathOf({ ...place, workspace_id: '_', subject_id: '_' })).toBe(
      'workspaces/%5F/subjects/%5F/fact/approval-limit-mem_1.md',
    )
  })

  test.each([
    ['a/b', 'a%2Fb'],
    ['a\\b', 'a%5Cb'],
    ['..', '%2E%2E'],
    ['.', '%2E'],
    ['.git', '%2Egit'],
    ['acme.com', 'acme.com'],
    ['acme.', 'acme%2E'],
    ['%2F', '%252F'],
    ['%5F', '%255F'],
    ['__', '__'],
    [' ', '%20'],
    ['\u200b', '%E2%80%8B'],
    ['ä', '%C3%A4'],
    ["!'()*~", '%21%27%28%29%2A%7E'],
    ['🚀', '%F0%9F%9A%80'],
  ])('has a label %j as %s', (label, part) => {
    expect(encodePart(label)).toBe(part)
  })

  test('is different for any two labels, and for no label', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (label) => {
        const part = encodePart(label)
        expect(decodeURIComponent(part)).toBe(label)
        expect(part).toMatch(/^[A-Za-z0-9_%-]([A-Za-z0-9._%-]*[A-Za-z0-9_%-])?$/)
        expect(part).not.toBe('_')
      }),
    )
  })
})

describe('the slug of a title', () => {
  test.each([
    ['Approval limit', 'approval-limit'],
    ['  Crème & brûlée!! ', 'creme-brulee'],
    ['İstanbul', 'istanbul'],
    ['../../etc/passwd', 'etc-passwd'],
    ['日本', 'untitled'],
    ['---', 'untitled'],
    ['', 'untitled'],
    ['a'.repeat(300), 'a'.repeat(60)],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
  ])('of %j is %s', (title, slug) => {
    expect(slugOf(title)).toBe(slug)
  })

  test('is 1 to 60 lower case letters, digits and single dashes, whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const slug = slugOf(title)
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slug.length).toBeLessThanOrEqual(60)
      }),
    )
  })
})
