import { expect, test } from 'vitest'
import { fetchProgress } from './setup-install.mjs'

test('the packages that npm fetches or finds in its cache are counted, and other lines are kept', () => {
  const told: string[] = []
  const isNoise = fetchProgress(250, (text) => told.push(text))
  for (let n = 0; n < 100; n += 1) {
    expect(isNoise(`npm http fetch GET 200 https://registry.example/a/-/a-${n}.tgz 12ms (cache miss)`)).toBe(true)
    expect(isNoise(`npm http cache https://registry.example/b/-/b-${n}.tgz 1ms (cache hit)`)).toBe(true)
    expect(isNoise('npm http fetch GET 200 https://registry.example/a 12ms')).toBe(true)
    expect(isNoise('npm error code E404')).toBe(false)
  }
  expect(told).toEqual(['100 of about 250 packages', '200 of about 250 packages'])
})
