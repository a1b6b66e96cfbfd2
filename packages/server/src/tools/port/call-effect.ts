// What a call is about to do to the world. Journaled before it starts: after a crash the tool itself may be gone.
import type { Tools } from './catalogue.ts'
import { checkInput } from './check-input.ts'
import type { ToolEffect } from './tool.ts'

/** Takes the input as the tool will get it. A call that will fail (no such tool, bad input) does nothing: `read`. */
export async function callEffect(catalogue: Pick<Tools, 'find'>, name: string, input: unknown): Promise<ToolEffect> {
  const tool = catalogue.find(name)
  if (tool === undefined) return 'read'
  try {
    const checked = await checkInput(tool, input)
    return checked.ok ? tool.effectOf(checked.input) : 'read'
  } catch {
    // A tool that cannot tell gets the answer that never repeats a payment.
    return 'once'
  }
}
