// Builds the console into `dist`, from where the service serves it at /console/.
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const service = process.env.CONSOLE_SERVICE_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // Relative, so that a proxy may put the service below a path.
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
        // The contract is data: what the console does not name of it stays out, and zod with it.
        moduleSideEffects: (id) => !id.includes('/packages/contract/') && !id.includes('/node_modules/zod/'),
      },
    },
  },
  server: { proxy: { '/v1': service, '/health': service } },
})
