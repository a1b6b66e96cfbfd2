import { expect, test } from 'vitest'
import { isSameFilter, mostViews, viewsOf, withView } from './saved-views.ts'

test('what cannot be read is left out, and the rest is kept', () => {
  expect(viewsOf(null)).toEqual([])
  expect(viewsOf('{')).toEqual([])
  expect(viewsOf('{"name":"a"}')).toEqual([])
  const stored = [
    null,
    7,
    { name: '' },
    { name: 'Failed', filter: { status: 'failed', status_of: 'x', period: 'ever' } },
  ]
  expect(viewsOf(JSON.stringify(stored))).toEqual([{ name: 'Failed', filter: { status: 'failed' } }])
})

test('a name that is taken replaces its view, and there is a limit', () => {
  const one = withView([], { name: 'Mine', filter: { agent: 'clerk' } })
  expect(withView(one, { name: 'Mine', filter: { agent: 'writer' } })).toEqual([
    { name: 'Mine', filter: { agent: 'writer' } },
  ])
  const many = Array.from({ length: mostViews + 5 }, (_, n) => ({ name: `View ${n}`, filter: {} }))
  expect(many.reduce(withView, [] as ReturnType<typeof withView>)).toHaveLength(mostViews)
})

test('two filters are the same in any order of their parts', () => {
  expect(isSameFilter({ status: 'failed', agent: 'a' }, { agent: 'a', status: 'failed' })).toBe(true)
  expect(isSameFilter({ status: 'failed' }, { status: 'failed', agent: 'a' })).toBe(false)
})
