// Each planted defect has its place in the build of today.
import { expect, test } from 'vitest'
import { type PlantName, plant, plants } from './planted.ts'

test.each(Object.keys(plants) as PlantName[])('%s can be planted', (name) => {
  expect(plant(name)).toMatch(new RegExp(`${name}/bin/runwright.mjs$`))
})
