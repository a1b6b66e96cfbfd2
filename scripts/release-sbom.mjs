// @ts-check
// The bill of materials of the server: every package that its npm package contains or installs, in CycloneDX.
// `npm sbom --omit dev` leaves out packages of a workspace that are also development dependencies elsewhere, such as
// zod. So the part that the server needs is taken from the bill of the whole lockfile.

/** @typedef {{ 'bom-ref': string, name: string, version: string, [field: string]: unknown }} Component */
/**
 * @typedef {{ metadata: { component: Component, [field: string]: unknown }, components: Component[], dependencies: {
 * ref: string, dependsOn: string[] }[], [field: string]: unknown }} Bill
 */
/**
 * @typedef {{ name: string, version: string, private?: boolean, dependencies?: Record<string, string>,
 * optionalDependencies?: Record<string, string>, [field: string]: unknown }} Manifest
 */

export const sbomCommand = [
  ...['npm', 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
  // All platforms, whatever is installed here.
  '--package-lock-only',
]

/**
 * @param {Bill} workspace the bill of the whole lockfile
 * @param {Manifest[]} manifests of the packages of the workspace
 * @returns {Bill}
 */
export function serverBill(workspace, manifests) {
  const own = new Map(manifests.map((manifest) => [refOf(manifest), manifest]))
  const graph = new Map(workspace.dependencies.map(({ ref, dependsOn }) => [ref, needed(own.get(ref), dependsOn)]))
  const server = manifests.find(({ name }) => name === '@runwright/server')
  // npm names a package of the workspace after its folder.
  const components = workspace.components.map((each) => ({
    ...each,
    name: own.get(each['bom-ref'])?.name ?? each.name,
  }))
  const component = components.find((each) => server !== undefined && each['bom-ref'] === refOf(server))
  if (component === undefined) throw new Error('The lockfile has no @runwright/server. Run: npm install')
  const refs = reachable(component['bom-ref'], graph)
  return {
    ...workspace,
    metadata: { ...workspace.metadata, component: { ...component, type: 'application', properties: [] } },
    components: components.filter((each) => each !== component && refs.has(each['bom-ref'])),
    dependencies: [...refs].map((ref) => ({ ref, dependsOn: graph.get(ref) ?? [] })),
  }
}

/** @param {Manifest} manifest */
const refOf = ({ name, version }) => `${name}@${version}`

/**
 * The development dependencies of a package of the workspace are not needed. Those of other packages are not in the
 * bill.
 * @param {Manifest | undefined} manifest
 * @param {string[]} dependsOn
 */
function needed(manifest, dependsOn) {
  if (manifest === undefined) return dependsOn
  const names = { ...manifest.dependencies, ...manifest.optionalDependencies }
  return dependsOn.filter((ref) => Object.hasOwn(names, ref.slice(0, ref.lastIndexOf('@'))))
}

/** @param {string} start @param {Map<string, string[]>} graph */
function reachable(start, graph) {
  const found = new Set([start])
  // A set also visits what is added meanwhile.
  for (const ref of found) for (const next of graph.get(ref) ?? []) found.add(next)
  return found
}
