// The tool `memory_save`: saves a note for later runs.
import { type MemoryKind, memoryKinds } from '@runwright/contract'
import { z } from 'zod'
import { storableText } from '../../domain/text.ts'
import type { Tool, ToolCallContext, ToolDescription } from '../port/tool.ts'

export interface NoteToSave {
  readonly title: string
  readonly content: string
  readonly kind: MemoryKind
  readonly tags: readonly string[]
  /** 0 to 1; null: the model did not say. */
  readonly confidence: number | null
}

interface NoteSaver {
  /** Saves the note once per idempotency key. Resolves with its id as on the wire, `mem_…`. */
  save(note: NoteToSave, context: ToolCallContext): Promise<string>
}

export const maxTitleLength = 200
export const maxContentLength = 8_000
const maxTags = 20
const maxTagLength = 50

const text = (maxLength: number) => z.string().trim().min(1).max(maxLength)

const input = z.strictObject({
  title: text(maxTitleLength).describe('Replaces the note with the same title'),
  content: text(maxContentLength),
  kind: z.enum(memoryKinds).default('fact'),
  tags: z.array(text(maxTagLength)).max(maxTags).default([]),
  confidence: z.number().min(0).max(1).optional().describe('How sure you are'),
})

export const memorySaveDescription: ToolDescription<z.infer<typeof input>> = {
  name: 'memory_save',
  description: 'Saves a note for later runs. Never save secrets.',
  input,
  effectOf: () => 'idempotent',
  timeoutSeconds: 30,
}

export const memorySave = (saver: NoteSaver): Tool<z.infer<typeof input>> => ({
  ...memorySaveDescription,
  run: async ({ title, content, kind, tags, confidence = null }, context) => {
    const note = { title: storableText(title), content: storableText(content), kind, confidence }
    return { id: await saver.save({ ...note, tags: [...new Set(tags.map(storableText))] }, context) }
  },
})
