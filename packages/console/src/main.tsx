// Starts the console.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './parts/no-eval.ts'
import { findFirstState } from './session/sign-in-state.ts'
import { showDensity } from './shell/density.ts'
import { showTheme } from './shell/theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
showTheme()
showDensity()
// Outside of React, which may start an effect twice: the code of a sign-in link works once.
const first = findFirstState()
createRoot(root).render(
  <StrictMode>
    <App first={first} />
  </StrictMode>,
)
