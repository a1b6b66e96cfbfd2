// The input of `http_fetch`. Whatever can be checked without the network is checked here, before the call starts.
import { z } from 'zod'
import { findHeaderProblem, findHeadersProblem } from './header-rules.ts'
import { isSafe, methods } from './methods.ts'
import { bodyText, maxBodyBytes } from './request-body.ts'
import { maxUrlLength } from './target.ts'

const url = z
  .string()
  .max(maxUrlLength)
  .refine((text) => URL.canParse(text), { error: 'must be an absolute URL' })
  .meta({ description: 'Absolute' })

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  const problem = findHeadersProblem(value)
  if (problem) issues.push({ code: 'custom', input: value, message: problem })
  for (const [name, text] of Object.entries(value)) {
    const message = findHeaderProblem(name, text)
    if (message) issues.push({ code: 'custom', input: text, path: [name], message })
  }
})

const body = z.unknown().refine((value) => Buffer.byteLength(bodyText(value) ?? '') <= maxBodyBytes, {
  error: `must have at most ${maxBodyBytes} bytes`,
})

export const fetchInput = z
  .strictObject({
    url,
    method: z.enum(methods).optional().meta({ description: 'Default: GET' }),
    headers: headers.optional(),
    body: body.optional().meta({ description: 'Text, or any JSON. Not with GET or HEAD' }),
  })
  .refine(({ method = 'GET', body }) => bodyText(body) === undefined || !isSafe(method), {
    path: ['body'],
    error: 'is not allowed with GET and HEAD',
  })

export type FetchInput = z.infer<typeof fetchInput>
