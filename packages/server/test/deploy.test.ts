// The files of deploy/, compose.yaml and the Dockerfile agree with the service and with each other.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dependenciesSchema, routes } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { commandGroups } from '../src/cli/command-table.ts'
import { allSettings } from '../src/runtime/settings/setting-table.ts'
import { readSettings } from '../src/runtime/settings/settings.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const folder = 'deploy/kubernetes'
const manifests = readdirSync(join(root, folder))
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => parseAllDocuments(read(join(folder, name)), { merge: true }).map((document) => document.toJS()))
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
const getManifest = (kind: string, name: string) => {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name)
  if (!found) throw new Error(`${folder} has no ${kind} ${name}`)
  return found
}
const podOf = (name: string) => getManifest('Deployment', name).spec.template
const containerOf = (name: string) => podOf(name).spec.containers[0]

const compose = parse(read('compose.yaml'))
const dockerfile = read('Dockerfile')
const unit = read('deploy/systemd/runwright.service')
const port = readSettings({}).http.port
const commands = commandGroups.flatMap((group) => group.commands.map(({ name }) => name))
const paths = Object.values(routes).map(({ path }) => path)

/** The names that the service reads; it refuses any other that begins like one of its own. */
const settingNames = new Set(allSettings.map(({ name }) => name))
const variablesIn = (text: string) => text.match(/\b(?:RUNWRIGHT_[A-Z_]*[A-Z]|DATABASE_URL)\b/g) ?? []

test.each(['Dockerfile', 'compose.yaml', 'deploy/systemd/runwright.service', ...kubernetesFiles()])(
  'every setting that %s names is one',
  (file) => {
    expect(variablesIn(read(file)).filter((name) => !settingNames.has(name))).toEqual([])
  },
)

function kubernetesFiles(): string[] {
  return readdirSync(join(root, folder)).map((name) => join(folder, name))
}

/** The most connections to PostgreSQL. `scenarios/process-costs.test.ts` counts them, except that of the thread. */
const [ofWorker, ofApi, ofBoth] = [8, 11, 15]

test('all texts say the same about connections to PostgreSQL', () => {
  const texts = [
    'deploy/README.md',
    'docs/postgresql.md',
    'docs/processes.md',
    'docs/sizing.md',
    'docs/scaling.md',
    `${folder}/worker-scaling.yaml`,
  ]
    .map(read)
    .join(' ')
    .replaceAll(/\s+#?\s*/g, ' ')
  const counts = (pattern: RegExp) => new Set([...texts.matchAll(pattern)].map(([, count]) => Number(count)))
  expect(counts(/(\d+) (?:connections )?(?:of PostgreSQL )?(?:per|for each) worker/g)).toEqual(new Set([ofWorker]))
  expect(counts(/(\d+) (?:connections )?(?:of PostgreSQL )?(?:per API process|for each pod of the API)/g)).toEqual(
    new Set([ofApi]),
  )
  expect(counts(/(\d+) for a process that is both/g)).toEqual(new Set([ofBoth]))
})

describe('Kubernetes', () => {
  test('the kustomization has every file except the template of the Secret', () => {
    const { resources } = parse(read(`${folder}/kustomization.yaml`))
    const others = readdirSync(join(root, folder)).filter(
      (name) => !/^(kustomization|secret\.example)\.yaml$/.test(name),
    )
    expect([...resources].sort()).toEqual(others.sort())
  })

  test('the settings are accepted, and no value of the template is', () => {
    const { data } = getManifest('ConfigMap', 'runwright')
    expect(Object.keys(data).filter((name) => !settingNames.has(name))).toEqual([])
    expect(() => readSettings(data)).not.toThrow()
    const template: Record<string, string> = getManifest('Secret', 'runwright').stringData
    expect(Object.keys(template)).toEqual(expect.arrayContaining(['DATABASE_URL', 'RUNWRIGHT_ENCRYPTION_KEY']))
    for (const [name, value] of Object.entries(template)) expect(() => readSettings({ [name]: value })).toThrow(name)
  })

  test.each(ofKind('Deployment').map(({ metadata }) => metadata.name))('%s runs a command, not as root', (name) => {
    const { args, securityContext, envFrom, image } = containerOf(name)
    expect(commands).toEqual(expect.arrayContaining(args))
    expect(image).toBe('runwright')
    expect(envFrom).toEqual([{ configMapRef: { name: 'runwright' } }, { secretRef: { name: 'runwright' } }])
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    const [, user] = /^USER (\d+):/m.exec(dockerfile) ?? []
    expect(podOf(name).spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) })
  })

  test('probes ask routes of the API on the port where the service listens', () => {
    const { ports, ...container } = containerOf('runwright-api')
    expect(ports).toEqual([{ name: 'http', containerPort: port }])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(paths).toContain(container[probe].httpGet.path)
      expect(container[probe].httpGet.port).toBe('http')
    }
    expect(getManifest('Service', 'runwright').spec.ports[0].targetPort).toBe('http')
  })

  test('workers are asked on the port of their metrics', () => {
    const { env, ports, startupProbe, livenessProbe } = containerOf('runwright-worker')
    const [{ name, value }] = env
    expect([name, ports]).toEqual(['RUNWRIGHT_METRICS_PORT', [{ name: 'metrics', containerPort: Number(value) }]])
    for (const { httpGet } of [startupProbe, livenessProbe])
      expect(httpGet).toEqual({ path: '/health/live', port: 'metrics' })
  })

  test('the database of CloudNativePG has room for the connections of all pods', () => {
    const { postgresql, bootstrap } = parse(read('deploy/cloudnative-pg/cluster.yaml')).spec
    const workers = getManifest('ScaledObject', 'runwright-worker').spec.maxReplicaCount
    const needed = getManifest('Deployment', 'runwright-api').spec.replicas * ofApi + workers * ofWorker
    expect(Number(postgresql.parameters.max_connections)).toBeGreaterThan(needed)
    expect(bootstrap.initdb).toMatchObject({ database: 'runwright', owner: 'runwright' })
    expect(postgresql.synchronous).toMatchObject({ number: 1, dataDurability: 'required' })
  })

  test('every selector selects pods of one Deployment', () => {
    const pods = ofKind('Deployment').map(({ spec }) => spec.template.metadata.labels)
    const selectors = [
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...[...ofKind('PodDisruptionBudget'), ...ofKind('Deployment')].map(({ spec }) => spec.selector.matchLabels),
    ]
    expect(selectors).toHaveLength(5)
    for (const selector of selectors) {
      const selected = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      )
      expect(selected).toHaveLength(1)
    }
  })

  test('workers are scaled by the age of the queue that the service reports', () => {
    const { scaleTargetRef, triggers } = getManifest('ScaledObject', 'runwright-worker').spec
    expect(containerOf(scaleTargetRef.name).args).toEqual(['worker'])
    const { url, valueLocation } = triggers[0].metadata
    expect(paths).toContain(new URL(url).pathname)
    expect(new URL(url).hostname).toBe('runwright.runwright.svc')
    const [, , field] = valueLocation.split('.')
    expect(valueLocation).toBe(`dependencies.queue.${field}`)
    expect(Object.keys(dependenciesSchema.shape.dependencies.shape.queue.shape)).toContain(field)
  })
})

describe('the image', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, from = '']) => from.split(' '))

  test('installs the packages of all workspaces before the code is copied', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
    expect(copied).toEqual(expect.arrayContaining(workspaces.map((name) => `${name}/package.json`)))
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('gets only listed files of the checkout', () => {
    const [first, ...rules] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(first).toBe('*')
    const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1))
    expect(allowed.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const copiedFirst = copied.filter((path) => path !== '.').map((path) => path.split('/')[0])
    const built = ['docs', 'packages', 'scripts', 'tsconfig.json', 'tsconfig.base.json', 'LICENSE']
    expect(new Set(allowed)).toEqual(new Set([...copiedFirst, ...built]))
    expect(rules).toEqual(expect.arrayContaining(['**/node_modules', '**/.runwright', '**/.env*']))
  })

  test('runs a command on the port that it exposes and checks', () => {
    expect(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]).toBe(String(port))
    expect(dockerfile).toContain(`RUNWRIGHT_PORT=${port}`)
    const checked = /http:\/\/127\.0\.0\.1:' \+ process\.env\.(\w+) \+ '([^']+)'/.exec(dockerfile)
    expect(checked?.[1]).toBe('RUNWRIGHT_PORT')
    expect(paths).toContain(checked?.[2])
    const entry = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)?.[1] ?? '[]')
    expect(existsSync(join(root, entry[1].replace('/app/', '')))).toBe(true)
    expect(commands).toEqual(expect.arrayContaining(JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]')))
  })
})

describe('compose.yaml', () => {
  test('starts the service when PostgreSQL is healthy, and publishes its port on this host only', () => {
    const { postgres, runwright } = compose.services
    expect(postgres.healthcheck.test).toContain('pg_isready')
    expect(runwright.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(runwright.ports).toEqual([`127.0.0.1:${port}:${port}`])
    expect(runwright.environment.DATABASE_URL).toMatch(/@postgres:5432\/runwright$/)
    expect(Object.keys(runwright.environment).filter((name) => !settingNames.has(name))).toEqual([])
  })

  test('keeps the database and the secrets in volumes that it declares', () => {
    const mounted = [compose.services.postgres, compose.services.runwright].flatMap(({ volumes }) => volumes)
    expect(mounted).toEqual(['postgres:/var/lib/postgresql', 'data:/data'])
    expect(Object.keys(compose.volumes)).toEqual(['postgres', 'data'])
    expect(dockerfile).toMatch(/^VOLUME \/data$/m)
    expect(dockerfile).toContain('RUNWRIGHT_DATA_DIR=/data')
  })
})

test('the systemd unit starts the command of the npm package', () => {
  const { bin, name } = JSON.parse(read('packages/server/package.json'))
  const [, program, command] = /^ExecStart=\S+ (\S+) (\S+)$/m.exec(unit) ?? []
  expect(program).toBe(`/opt/runwright/node_modules/${name}/${bin.runwright}`)
  expect(commands).toContain(command)
})

test('everything gives a stopping service more than the 25 seconds that its steps may take', () => {
  const seconds = [
    ...ofKind('Deployment').map(({ spec }) => spec.template.spec.terminationGracePeriodSeconds),
    Number.parseInt(compose.services.runwright.stop_grace_period, 10),
    Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]),
  ]
  expect(seconds).toHaveLength(4)
  for (const each of seconds) expect(each).toBeGreaterThanOrEqual(40)
})
