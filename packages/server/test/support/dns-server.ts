// A DNS server on loopback whose answers a test decides, and resolvers that ask only it.
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { lookUp, type ResolveName } from '../../src/tools/http-fetch/resolve-name.ts'

/** The addresses of a name, of both families, when it is asked for the n-th time, from 0. Undefined: no answer. */
export type Zone = (name: string, nth: number) => readonly string[] | undefined

export interface DnsServer {
  zone: Zone
  /** The names that were asked for, once for each look-up. */
  readonly asked: string[]
  readonly resolve: ResolveName
  stop(): void
}

const [typeA, typeAaaa] = [1, 28]

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  const counts = new Map<string, number>()
  const server: DnsServer = {
    zone: () => [],
    asked,
    resolve: (name, signal) => {
      const resolver = new Resolver({ timeout: 100, tries: 1 })
      resolver.setServers([`127.0.0.1:${socket.address().port}`])
      asked.push(name)
      counts.set(name, (counts.get(name) ?? -1) + 1)
      return lookUp(resolver, name, signal)
    },
    stop: () => void socket.close(),
  }
  socket.on('message', (question, { port }) => {
    const { name, type } = readQuestion(question)
    const addresses = server.zone(name, counts.get(name) ?? 0)
    if (addresses) socket.send(answerOf(question, type, addresses), port, '127.0.0.1')
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return server
}

function readQuestion(question: Buffer): { name: string; type: number } {
  const labels: string[] = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1) }
}

function answerOf(question: Buffer, type: number, addresses: readonly string[]): Buffer {
  const end = question.indexOf(0, 12) + 5
  const records = addresses
    .filter((address) => (isIPv4(address) ? typeA : typeAaaa) === type)
    .map((address) => {
      const bytes = ipaddr.parse(address).toByteArray()
      // A name as in the question, the class IN, a lifetime of 0 seconds.
      return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes])
    })
  const header = Buffer.alloc(12)
  question.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, question.subarray(12, end), ...records])
}
