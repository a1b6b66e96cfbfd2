// A PostgreSQL with one standby, managed by Patroni, on loopback. Needs the Debian packages postgresql, patroni and
// etcd-server; started by root, the servers run as the user postgres.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const etcdPort = 23_790
const nodes = ['one', 'two'].map((name, index) => ({ name, port: 25_431 + index, restPort: 28_008 + index }))
const postgresFolder = '/usr/lib/postgresql'

export async function startPatroni({ synchronous }) {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-patroni-'))
  const account = process.getuid() === 0 ? idOf('postgres') : {}
  giveTo(folder, account)
  const start = (program, args) => spawn(program, args, { ...account, cwd: folder, detached: true, stdio: 'ignore' })
  const etcd = start('etcd', etcdArguments(folder))
  const running = new Map()
  for (const node of nodes) {
    const file = join(folder, `${node.name}.json`)
    writeFileSync(file, JSON.stringify(config(node, { folder, synchronous })))
    running.set(node.name, start('patroni', [file]))
    await until(() => isUp(node))
  }
  if (synchronous) await until(async () => (await members()).some(({ role }) => role === 'sync_standby'))
  return {
    url: `postgres://postgres:bench@${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}/postgres?target_session_attrs=read-write`,
    killPrimary: async () => kill((await primary()).name, { folder, running }),
    switchOver: async () => ask(await primary(), 'switchover', { leader: (await primary()).name }),
    /** Resolves when another node than this one accepts writes. */
    untilOther: (name) => until(async () => (await primary().catch(() => undefined))?.name === other(name)),
    primary,
    stop: async () => {
      for (const { name } of nodes) kill(name, { folder, running })
      killGroup(etcd)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}

const other = (name) => nodes.find((node) => node.name !== name).name

const etcdArguments = (folder) => {
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${etcdPort + 1}`]
  const urls = { 'listen-client-urls': client, 'advertise-client-urls': client, 'listen-peer-urls': peer }
  const more = {
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'data-dir': join(folder, 'etcd'),
  }
  return [...Object.entries({ ...urls, ...more }).map(([name, value]) => `--${name}=${value}`), '--enable-v2']
}

/** Patroni's own times: 30 s until a leader that is gone loses its lock. */
const config = ({ name, port, restPort }, { folder, synchronous }) => ({
  scope: 'bench',
  name,
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: 30,
      loop_wait: 10,
      retry_timeout: 10,
      synchronous_mode: synchronous,
      postgresql: { use_pg_rewind: true },
    },
    initdb: [{ encoding: 'UTF8' }],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: join(folder, name),
    pgpass: join(folder, `${name}.pgpass`),
    bin_dir: join(postgresFolder, readdirSync(postgresFolder).at(-1), 'bin'),
    authentication: Object.fromEntries(
      ['superuser', 'replication', 'rewind'].map((role) => [
        role,
        { username: role === 'superuser' ? 'postgres' : role, password: 'bench' },
      ]),
    ),
    parameters: { unix_socket_directories: folder, max_connections: 100 },
    pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
  },
})

/** As a power cut of its host would: Patroni first, so that it does not restart the server. */
function kill(name, { folder, running }) {
  killGroup(running.get(name))
  const found = spawnSync('pgrep', ['-f', `postgres.*-D ${join(folder, name)} `], { encoding: 'utf8' })
  for (const pid of found.stdout.split('\n').filter(Boolean)) spawnSync('kill', ['-9', pid])
  return name
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const idOf = (user) => {
  const id = (option) => Number(spawnSync('id', [option, user], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

function giveTo(folder, { uid, gid }) {
  mkdirSync(folder, { recursive: true })
  if (uid !== undefined) chownSync(folder, uid, gid)
}

const rest = ({ restPort }, path, options) => fetch(`http://127.0.0.1:${restPort}/${path}`, options)
const isUp = (node) =>
  rest(node, 'health').then(
    ({ ok }) => ok,
    () => false,
  )

async function members() {
  for (const node of nodes) {
    const cluster = await rest(node, 'cluster').then(
      (reply) => reply.json(),
      () => undefined,
    )
    if (cluster) return cluster.members
  }
  return []
}

async function primary() {
  for (const node of nodes)
    if (
      await rest(node, 'primary').then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return node
  throw new Error('there is no primary')
}

async function ask(node, path, body) {
  const reply = await rest(node, path, { method: 'POST', body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(await reply.text())
  return node.name
}

async function until(look, withinMs = 120_000) {
  const end = performance.now() + withinMs
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
