// What a call costs before the task begins, as docs/agents.md says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { estimateTokens } from '../models/port/estimate-tokens.ts'
import { schemaInWords } from '../models/provider/request/call.ts'
import { builtInTools } from '../tools/built-in/built-in-tools.ts'
import { memorySaveDescription } from '../tools/built-in/memory-save.ts'
import { memorySearchDescription } from '../tools/built-in/memory-search.ts'
import { ToolCatalogue } from '../tools/port/catalogue.ts'
import type { Tool } from '../tools/port/tool.ts'
import { gradeSchema } from './grader.ts'
import { judgeSchema } from './judge.ts'
import { prompts } from './load-prompt.ts'
import { planOutputSchema } from './planner.ts'

const notes = [memorySaveDescription, memorySearchDescription] as unknown as Tool[]
const tools = new ToolCatalogue([...builtInTools(), ...notes])
const tokensOfTools = tools.offers().reduce((sum, offer) => sum + estimateTokens(JSON.stringify(offer)), 0)

test('the table of fixed tokens is true', () => {
  const docs = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
  const row = (role: 'planner' | 'worker' | 'judge' | 'grade', { tools: more = 0, schema = 0 }) => {
    const enforced = estimateTokens(prompts[role].text) + more
    return new RegExp(`^\\| ${role} \\| ${enforced + schema} \\| ${enforced} \\|$`, 'm')
  }
  const wordsOf = (schema: Readonly<Record<string, unknown>>) => ({ schema: estimateTokens(schemaInWords(schema)) })
  expect(docs).toMatch(row('worker', { tools: tokensOfTools }))
  expect(docs).toMatch(row('planner', wordsOf(planOutputSchema())))
  expect(docs).toMatch(row('judge', wordsOf(judgeSchema)))
  expect(docs).toMatch(row('grade', wordsOf(gradeSchema({ scores: [] }))))
})
