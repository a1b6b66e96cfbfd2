import type { MemoryItem } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { indexLines, indexPath, itemFile } from './files.ts'

const item: MemoryItem = {
  id: 'mem_01',
  workspace_id: 'a/b',
  subject_id: null,
  run_id: 'run_01',
  kind: 'fact',
  status: 'active',
  harness: false,
  title: 'Approval limit',
  content: 'Payments over 1,000.00 need an approval.',
  tags: ['payments'],
  confidence: 0.9,
  superseded_by: null,
  embedding_model: 'use-lite',
  created_at: '2026-11-14T16:02:11.000Z',
  updated_at: '2026-11-14T16:02:12.000Z',
}

const toFiles = (items: MemoryItem[]) => [
  { path: indexPath, content: [...indexLines(items)].join('') },
  ...items.map(itemFile),
]
const indexOf = (...items: MemoryItem[]) => toFiles(items)[0]?.content

describe('the export', () => {
  test('has a file with front matter, title and content for an item', () => {
    expect(toFiles([item])[1]).toEqual({
      path: 'workspaces/a%2Fb/subjects/_/fact/approval-limit-mem_01.md',
      content: `---
id: "mem_01"
workspace_id: "a/b"
subject_id: null
run_id: "run_01"
kind: "fact"
status: "active"
harness: false
title: "Approval limit"
tags: ["payments"]
confidence: 0.9
superseded_by: null
embedding_model: "use-lite"
created_at: "2026-11-14T16:02:11.000Z"
updated_at: "2026-11-14T16:02:12.000Z"
---

# Approval limit

Payments over 1,000.00 need an approval.
`,
    })
  })

  test('leaves the content as it is, and never shows an embedding', () => {
    const content = '---\nid: "mem_02"\n---\n<b>\r\n'
    const file = toFiles([{ ...item, content, embedding: [1, 2] }])[1]?.content
    expect(file?.endsWith(`\n---\n\n# Approval limit\n\n${content}\n`)).toBe(true)
    expect(file).not.toContain('embedding:')
  })

  test('starts with an index that links every file, in the same order', () => {
    const files = toFiles([item, { ...item, id: 'mem_02', kind: 'episode', status: 'archived' }])
    expect(files.map(({ path }) => path.split('/').at(-1))).toEqual([
      'index.md',
      'approval-limit-mem_01.md',
      'approval-limit-mem_02.md',
    ])
    expect(files[0]).toEqual({
      path: 'index.md',
      content: `# Memory

- [Approval limit](workspaces/a%252Fb/subjects/_/fact/approval-limit-mem_01.md) (fact, active)
- [Approval limit](workspaces/a%252Fb/subjects/_/episode/approval-limit-mem_02.md) (episode, archived)
`,
    })
  })

  test('links decode to the paths of the files', () => {
    const files = toFiles([item, { ...item, workspace_id: '%', subject_id: '..' }])
    const links = [...(files[0]?.content ?? '').matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => decodeURI(link))
    expect(links).toEqual(files.slice(1).map(({ path }) => path))
  })

  test.each([
    ['](evil) [x', '\\](evil) \\[x'],
    ['two\nlines\u2028three\u0085four', 'two lines three four'],
    ['<script>*_`#', '\\<script\\>\\*\\_\\`\\#'],
    [' \t', 'Untitled'],
    ['naïve 🚀', 'naïve 🚀'],
  ])('a title %j is shown as %s', (title, shown) => {
    expect(indexOf({ ...item, title })).toContain(`- [${shown}](`)
    expect(toFiles([{ ...item, title }])[1]?.content).toContain(`\n# ${shown}\n`)
  })

  test('without items is an index that says so', () => {
    expect(toFiles([])).toEqual([{ path: 'index.md', content: '# Memory\n\nNo items.\n' }])
  })
})
