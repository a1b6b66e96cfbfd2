// The system prompts: one Markdown file per role, and what the planner is told if there are agents. The version of each
// is journaled with every reply.
import { readFileSync } from 'node:fs'

interface Prompt {
  readonly version: string
  readonly text: string
}

type PromptName = 'planner' | 'planner-agents' | 'worker' | 'judge' | 'grade' | 'summary'

const loadPrompt = (name: PromptName): Prompt => {
  const file = readFileSync(new URL(`./prompts/${name}.md`, import.meta.url), 'utf8')
  const [, version, text] = /^---\nversion: (\S+)\n---\n([\s\S]+)$/.exec(file) ?? []
  if (version === undefined || text === undefined) throw new Error(`the prompt ${name}.md has no version`)
  return { version, text: text.trim() }
}

export const prompts: Readonly<Record<PromptName, Prompt>> = {
  planner: loadPrompt('planner'),
  'planner-agents': loadPrompt('planner-agents'),
  worker: loadPrompt('worker'),
  judge: loadPrompt('judge'),
  grade: loadPrompt('grade'),
  summary: loadPrompt('summary'),
}
