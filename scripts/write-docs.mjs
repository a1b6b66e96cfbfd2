// @ts-check
// `node scripts/write-docs.mjs`: regenerates what comes from code: the tables of the docs, and parts of the clients.
// Tests compare them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { renderClientTypes } from './client-types.mjs'
import { limitFiles, limitParts } from './docs-limits.mjs'
import { generatedParts, withPart } from './docs-tables.mjs'
import { layerParts } from './layers.mjs'
import { renderPythonCalls, renderPythonTypes } from './python-client.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'
import { stateDiagram } from './state-diagram.mjs'

/** @param {string} path relative to packages/ */
const load = (path) => import(pathToFileURL(join(projectRoot, 'packages', path)).href)

await runScript(async () => {
  await ensureReady()
  const contract = await load('contract/dist/index.js')
  const { limitsByClass, readSettings } = await load('server/dist/runtime/settings/settings.js')
  const { renderSettingsTable } = await load('server/dist/runtime/settings/render-settings-table.js')
  const { renderMetricsTable } = await load('server/dist/telemetry/render-metrics-table.js')
  const { transitions } = await load('server/dist/domain/run/states.js')
  const parts = generatedParts({
    ...contract,
    transitions,
    settings: renderSettingsTable(),
    metrics: renderMetricsTable(),
    limits: limitsByClass(readSettings({}).limits),
  })
  const { commandGroups } = await load('server/dist/cli/command-table.js')
  const { createProgram } = await load('server/dist/cli/program.js')
  const { renderReference } = await load('server/dist/cli/command-reference.js')
  parts.push({
    file: 'docs/cli.md',
    mark: 'commands',
    text: renderReference(await createProgram(process, commandGroups)),
  })
  const { allSettings } = await load('server/dist/runtime/settings/setting-table.js')
  const modules = new Map(
    await Promise.all(
      limitFiles.map(async (file) => /** @type {const} */ ([file, await load(`server/dist/${file}.js`)])),
    ),
  )
  const limits = limitParts({
    contract,
    constant: (file, name) => modules.get(file)[name],
    defaultOf: (name) => allSettings.find((/** @type {{ name: string }} */ setting) => setting.name === name)?.default,
  })
  for (const part of [...parts, ...limits, ...layerParts()]) {
    const path = join(projectRoot, part.file)
    writeFileSync(path, withPart(readFileSync(path, 'utf8'), part))
  }
  writeFileSync(join(projectRoot, 'docs/images/states.svg'), stateDiagram(transitions))
  const document = contract.openApiDocument()
  const python = join(projectRoot, 'clients/python/runwright')
  writeFileSync(join(python, 'types.py'), renderPythonTypes(document))
  writeFileSync(join(python, '_calls.py'), renderPythonCalls(document))
  const types = renderClientTypes(contract, join(projectRoot, 'packages/contract/src'))
  writeFileSync(join(projectRoot, 'packages/client/src/wire.ts'), types)
})
