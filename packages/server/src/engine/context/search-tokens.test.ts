// What the first call of a worker costs with 100 tools of MCP servers, as docs/tool-search.md says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { prompts } from '../../agents/load-prompt.ts'
import { findTools } from '../../agents/tool-search/found-tools.ts'
import { describeDirectory } from '../../agents/tool-search/tool-directory.ts'
import { finish } from '../../domain/finish.ts'
import { estimateTokens } from '../../models/port/estimate-tokens.ts'
import { builtInTools } from '../../tools/built-in/built-in-tools.ts'
import { memorySaveDescription } from '../../tools/built-in/memory-save.ts'
import { memorySearchDescription } from '../../tools/built-in/memory-search.ts'
import { ToolCatalogue, type ToolOffer } from '../../tools/port/catalogue.ts'
import type { Tool } from '../../tools/port/tool.ts'
import { callToolTool, findToolsTool } from './find-tools.ts'
import { readResultTool } from './read-result.ts'

/** As servers for code hosts, trackers and mail write them: a sentence, and four arguments with one each. */
const objects = ['issue', 'comment', 'branch', 'release', 'label', 'file', 'team', 'workflow', 'review', 'milestone']
const verbs = ['create', 'update', 'delete', 'list', 'search']
const ofServer = (server: string) =>
  objects.flatMap((object) =>
    verbs.map((verb): ToolOffer => {
      const argument = (description: string) => ({ type: 'string', description })
      const properties = {
        owner: argument('The account that owns the repository, without the leading at sign.'),
        repository: argument('The name of the repository, without the extension.'),
        [`${object}_id`]: argument(`The number of the ${object} within the repository.`),
        body: argument('The text in Markdown. Mentions notify people, and references link other items.'),
      }
      return {
        name: `${server}.${verb}_${object}`,
        description: `Use this to ${verb} a ${object} of a repository. Requires write access for private repositories.`,
        inputSchema: { type: 'object', properties, required: ['owner', 'repository'], additionalProperties: false },
      }
    }),
  )

const searched = ['github', 'gitlab'].flatMap(ofServer)
const notes = [memorySaveDescription, memorySearchDescription] as unknown as Tool[]
const service = new ToolCatalogue([...builtInTools(), ...notes])
const ofRun = [readResultTool({ calls: new Map(), contentOf: () => undefined }), findToolsTool(() => []), callToolTool]
const meta = service.with(...(ofRun as Tool[])).offers(ofRun.map(({ name }) => name))

const tokensOf = (tools: readonly ToolOffer[]) =>
  tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0)

test('the table of tokens with 100 tools is true', () => {
  const docs = readFileSync(new URL('../../../../../docs/tool-search.md', import.meta.url), 'utf8')
  const prompt = estimateTokens(prompts.worker.text) + tokensOf(service.offers())
  const directory = estimateTokens(` ${describeDirectory(searched)}`)
  const row = (words: string, tokens: number) => `| ${words} | ${tokens.toLocaleString('en-US')} |`
  expect(searched.length).toBe(100)
  expect(docs).toContain(row('all schemas in every call', prompt + tokensOf(searched)))
  expect(docs).toContain(row('with the search', prompt + tokensOf(meta) + directory))
  const found = finish(findTools(searched, 'create an issue'))
  expect(docs).toContain(row('what one search adds, here for "create an issue"', estimateTokens(JSON.stringify(found))))
})
