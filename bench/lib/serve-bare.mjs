// The baseline without a database: the same route in bare Fastify with a validated body.
import { fastify } from 'fastify'

const text = { type: 'string' }
const body = {
  type: 'object',
  required: ['input', 'metadata'],
  additionalProperties: false,
  properties: { input: { type: 'object' }, metadata: { type: 'object' }, workspace_id: text, subject_id: text },
}
let created = 0
const app = fastify()
app.post('/v1/runs', { schema: { body } }, async (request, reply) => {
  created += 1
  const now = new Date().toISOString()
  reply.code(201)
  return {
    id: `run_${created}`,
    workspace_id: request.body.workspace_id ?? null,
    subject_id: request.body.subject_id ?? null,
    status: 'queued',
    run_class: 'default',
    metadata: { created_at: now, updated_at: now },
    event_payload: { redacted: true, value: null },
    replayed: false,
    request_id: request.id,
  }
})
const answers = { count: () => created, cpu: () => process.cpuUsage() }
process.on('message', ({ number, what }) => process.send({ number, answer: answers[what]() }))
process.on('SIGTERM', () => process.exit(0))
console.log(JSON.stringify({ url: await app.listen({ port: 0, host: '127.0.0.1' }) }))
