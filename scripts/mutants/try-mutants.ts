// Tries mutants one after another in one process of Vitest: each is a `describe` with copies of the tests that should
// notice it. The modules are loaded again for each, because statements in SQL are made while a module loads.
import { afterAll, beforeAll, beforeEach, describe, inject, test, vi } from 'vitest'
import { activate } from './active-mutant.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Without a number, all tests run against the code as it is. */
    mutantTrials: { name: string; id?: number; tests: string[] }[]
  }
}

/** Vitest calls the functions of nested groups later, one after another: each sets the mutant for what it loads. */
async function load(file: string, id: number | undefined, isFirst: boolean): Promise<void> {
  activate(id)
  if (isFirst) vi.resetModules()
  await import(/* @vite-ignore */ file).catch((error) => {
    test('loads', () => {
      throw error
    })
  })
  activate(undefined)
}

for (const { name, id, tests } of inject('mutantTrials')) {
  describe(name, () => {
    let isNoticed = false
    beforeAll(() => activate(id))
    afterAll(() => activate(undefined))
    beforeEach(({ skip, onTestFailed }) => {
      if (isNoticed && id !== undefined) skip()
      onTestFailed(() => {
        isNoticed = true
      })
    })
    for (const [n, file] of tests.entries()) {
      describe(String(n), async () => {
        // The hooks of a file that is not needed any more do not run either.
        beforeAll(() => {
          if (isNoticed && id !== undefined) throw new Error('An earlier test has noticed this mutant')
        })
        await load(file, id, n === 0)
      })
    }
  })
}
