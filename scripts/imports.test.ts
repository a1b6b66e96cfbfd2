// Benchmarks and scripts import the build, which the compiler does not see.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from './setup.mjs'

const programs = ['bench', 'bench/lib', 'scripts'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => `${folder}/${name}`),
)

test.each(programs)('%s imports only what exists', async (program) => {
  const text = readFileSync(join(projectRoot, program), 'utf8')
  const imports = [...text.matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)]
  for (const [, names = '', path = ''] of imports) {
    const file = join(projectRoot, dirname(program), path)
    expect(existsSync(file), path).toBe(true)
    if (!file.includes('/dist/')) continue
    const wanted = names.split(',').map((name) => name.trim().split(' as ')[0])
    const exported = Object.keys(await import(file))
    expect(wanted.filter((name) => name && !exported.includes(name))).toEqual([])
  }
})
