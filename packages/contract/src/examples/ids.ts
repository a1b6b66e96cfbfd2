// The ids and times that the examples share, so that they are consistent with each other.

export const runId = 'run_01m7f8njhrfe3b4wzz6kye37bb'
export const earlierRunId = 'run_01m7f7nvs8ehssweh6brbexr1z'
export const taskId = 'task_01m7f8njqcf5c9w9yyfkpg1zrw'
export const callId = 'call_01m7f8nkd8f929r59p882ag3z8'
export const memoryIds = {
  fact: 'mem_01m7dcpyxrfwps4zf3fea2qapg',
  episode: 'mem_01m7f8nnbrezv804bqdt6vfk9k',
} as const
export const keyIds = {
  caller: 'key_01m6b1yq00f41ak6z45j58whqv',
  created: 'key_01m7facg80fhh84cpdt8gqe4mm',
} as const
export const webhookId = 'hook_01m7facg80fhh84cpdt8gqe4mn'
export const scheduleId = 'sched_01m7facg80fhh84cpdt8gqe4mp'
export const agentHash = 'a3f1b0c97d5e2846f0b1c2d3e4f5061728394a5b6c7d8e9f00112233445566aa'
export const agentSetHash = '5d0c8e7f6a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667788990abc'
export const requestIds = {
  create: 'req_01m7f8njhpfr3r11b2qvdrpr6e',
  signal: 'req_01m7f8qrr0fchbexymvmfwc73f',
  retry: 'checkout-7.retry-1',
} as const
export const createdAt = '2026-11-15T09:30:00.120Z'
/** In the stream of a customer's events: after the first event of the run. */
export const customerCursor = btoa(`${Date.parse(createdAt)}:019cf113-4a38-7a1c-b273-ff34d4e7196b:1`).replaceAll(
  '=',
  '',
)
