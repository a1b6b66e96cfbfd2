// Decision links in tests: made as a program makes them, opened and answered as a browser without scripts does it.
import type { CreateDecisionLink, DecisionLink } from '@runwright/contract'
import type { Caller, Reply } from './http.ts'

export const linksOn = {
  RUNWRIGHT_DECISION_LINKS: 'on',
  RUNWRIGHT_PUBLIC_URL: 'https://agents.example.com',
}

export const makeLink = (maker: Caller, runId: string, body: Partial<CreateDecisionLink>): Promise<Reply> =>
  maker.post(`/v1/runs/${runId}/decision-links`, { expires_in: 3_600, ...body })

/** The path of the link. */
export async function linkPath(maker: Caller, runId: string, body: Partial<CreateDecisionLink>): Promise<string> {
  const reply = await makeLink(maker, runId, body)
  if (reply.status !== 200) throw new Error(reply.text)
  return new URL(reply.json<DecisionLink>().url).pathname
}

export const sendForm = (
  browser: Caller,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  browser.send({
    method: 'POST',
    path,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
