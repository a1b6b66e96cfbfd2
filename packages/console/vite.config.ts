// Builds the console into `dist`. The service serves it at /console/.
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontSubsets } from './vite/subset-font.ts'
import { thirdPartyLicenses } from './vite/third-party-licenses.ts'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const service = process.env.CONSOLE_SERVICE_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), tailwindcss(), fontSubsets(), thirdPartyLicenses()],
  // Relative, so that it works behind a proxy with a path prefix.
  base: './',
  resolve: {
    alias: {
      '@runwright/contract': source('../contract/src/index.ts'),
      '@runwright/client': source('../client/src/index.ts'),
    },
  },
  build: {
    modulePreload: { polyfill: false },
    rolldownOptions: {
      treeshake: {
        // The contract is only data, so unused parts can be dropped, and zod with them.
        moduleSideEffects: (id) => !id.includes('/packages/contract/') && !id.includes('/node_modules/zod/'),
      },
    },
  },
  server: { proxy: { '/v1': service, '/health': service } },
})
