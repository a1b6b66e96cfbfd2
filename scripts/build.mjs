// @ts-check
// `npm run build`: builds everything anew, whatever has changed.
import { ensureReady, runScript } from './setup.mjs'

await runScript(() => ensureReady({ forceBuild: true }))
