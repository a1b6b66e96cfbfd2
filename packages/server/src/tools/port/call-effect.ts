// The effect of a call. It is journaled before the call starts, because after a crash the tool may no longer exist.
import { checkInput } from './check-input.ts'
import type { Tool, ToolEffect } from './tool.ts'

/** `input` has its secrets filled in. A call that will fail (unknown tool, invalid input) does nothing: `read`. */
export async function callEffect(tool: Tool | undefined, input: unknown): Promise<ToolEffect> {
  if (tool === undefined) return 'read'
  try {
    const checked = await checkInput(tool, input)
    return checked.ok ? tool.effectOf(checked.input) : 'read'
  } catch {
    // The safe choice: a payment must not be made twice.
    return 'once'
  }
}
