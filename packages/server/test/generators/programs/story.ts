// What both programs are given, and what they tell.
export interface Service {
  readonly url: string
  readonly key: string
}

export interface Story {
  readonly types: readonly string[]
  readonly content: string | undefined
  readonly approvedWith: unknown
  readonly listed: readonly boolean[]
}

export type Play = (service: Service) => Promise<Story>

export const body = {
  input: { invoice: 4711, sandbox: { steps: [{ say: 'Paid.' }] } },
  metadata: {},
  plan: {
    steps: [
      { id: 'gate', await_input: { input_kind: 'approval' as const } },
      { id: 'pay', instruction: 'Pay invoice {{input.invoice}}.', tools: [] },
    ],
  },
}
