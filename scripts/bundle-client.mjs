// @ts-check
// `node scripts/bundle-client.mjs`, in the folder of the client: bundles what was compiled into one file of code and
// one of types, which is what its users install.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** @param {string} folder the package: from `dist` to `lib` */
export async function bundleClient(folder) {
  const [from, to] = [join(folder, 'dist'), join(folder, 'lib')]
  const bundle = await rolldown({ input: join(from, 'index.js'), platform: 'neutral' })
  await bundle.write({ file: join(to, 'index.js'), format: 'esm', comments: { legal: true } })
  writeFileSync(join(to, 'index.d.ts'), bundleTypes(join(from, 'index.d.ts')))
}

const importOrExport = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)';$/gm

/**
 * Joins the declarations of all files that the entry needs. Only what the entry exports is exported.
 * @param {string} entry
 */
export function bundleTypes(entry) {
  /** @type {Map<string, string>} */
  const files = new Map()
  collect(entry, files)
  const index = files.get(entry) ?? ''
  files.delete(entry)
  const parts = [...files.values()].map((text) =>
    text
      .replace(importOrExport, '')
      .replace(/^export \{\};$/gm, '')
      .replace(/^export (?=declare|interface|type)/gm, '')
      .trim(),
  )
  const declarations = parts.filter((text) => text !== '').join('\n')
  refuseRepeated(declarations)
  return `${declarations}\nexport { ${exportsOf(index).join(', ')} };\n`
}

/** @param {string} index */
function exportsOf(index) {
  return [...index.matchAll(importOrExport)].flatMap(([statement, list = '']) => {
    const names = list.split(',').map((name) => name.trim())
    const mark = statement.startsWith('export type') ? 'type ' : ''
    return names.filter((name) => name !== '').map((name) => `${mark}${name}`)
  })
}

/** @param {string} path @param {Map<string, string>} files the files it needs come before it */
function collect(path, files) {
  if (files.has(path)) return
  const text = readFileSync(path, 'utf8')
  files.set(path, '')
  for (const [, , needed = ''] of text.matchAll(importOrExport)) {
    collect(resolve(dirname(path), needed.replace(/\.(?:ts|js)$/, '.d.ts')), files)
  }
  files.delete(path)
  files.set(path, text)
}

/** Two files that declare one name would merge silently. @param {string} text */
function refuseRepeated(text) {
  const names = [...text.matchAll(/^(?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/gm)].map(
    ([, name]) => name,
  )
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated) throw new Error(`two files of the client declare ${repeated}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleClient(process.cwd())
